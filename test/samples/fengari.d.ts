/** The part of fengari (Lua in JavaScript) that runs the health scripts. */
declare module 'fengari' {
  type State = unknown;
  export function to_luastring(text: string): Uint8Array;
  export const lua: {
    readonly LUA_OK: number;
    lua_pcall(state: State, args: number, results: number, handler: number): number;
    lua_setglobal(state: State, name: Uint8Array): void;
    lua_getfield(state: State, index: number, name: Uint8Array): number;
    lua_setfield(state: State, index: number, name: Uint8Array): void;
    lua_rawseti(state: State, index: number, at: number): void;
    lua_createtable(state: State, list: number, map: number): void;
    lua_pushnumber(state: State, value: number): void;
    lua_pushboolean(state: State, value: boolean): void;
    lua_pushstring(state: State, value: Uint8Array): void;
    lua_pushnil(state: State): void;
    lua_pop(state: State, count: number): void;
    lua_tojsstring(state: State, index: number): string;
  };
  export const lauxlib: {
    luaL_newstate(): State;
    luaL_loadstring(state: State, text: Uint8Array): number;
  };
  export const lualib: { luaL_openlibs(state: State): void };
}
