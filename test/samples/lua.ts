/** Runs a health script of Argo CD on an object, as Argo CD does: the object is `obj`, the return value the answer. */
import { lauxlib, lua, lualib, to_luastring } from 'fengari';

export interface Health {
  readonly status: string;
  readonly message: string;
}

export function healthBy(script: string, object: unknown): Health {
  const state = lauxlib.luaL_newstate();
  lualib.luaL_openlibs(state);
  push(state, object);
  lua.lua_setglobal(state, to_luastring('obj'));
  const failed =
    lauxlib.luaL_loadstring(state, to_luastring(script)) !== lua.LUA_OK ||
    lua.lua_pcall(state, 0, 1, 0) !== lua.LUA_OK;
  if (failed) throw new Error(lua.lua_tojsstring(state, -1));
  const field = (name: string): string => {
    lua.lua_getfield(state, -1, to_luastring(name));
    const text = lua.lua_tojsstring(state, -1);
    lua.lua_pop(state, 1);
    return text;
  };
  return { status: field('status'), message: field('message') };
}

function push(state: unknown, value: unknown): void {
  if (Array.isArray(value)) {
    lua.lua_createtable(state, value.length, 0);
    for (const [index, item] of value.entries()) {
      push(state, item);
      lua.lua_rawseti(state, -2, index + 1);
    }
  } else if (typeof value === 'object' && value !== null) {
    lua.lua_createtable(state, 0, 0);
    for (const [name, item] of Object.entries(value)) {
      push(state, item);
      lua.lua_setfield(state, -2, to_luastring(name));
    }
  } else if (typeof value === 'number') lua.lua_pushnumber(state, value);
  else if (typeof value === 'boolean') lua.lua_pushboolean(state, value);
  else if (typeof value === 'string') lua.lua_pushstring(state, to_luastring(value));
  else lua.lua_pushnil(state);
}
