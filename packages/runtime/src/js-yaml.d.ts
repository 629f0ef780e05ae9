/** The part of js-yaml that we call; the package ships no types of its own. */
declare module 'js-yaml' {
  export function load(text: string): unknown;
}
