export { type ApplyCrdsOptions, applyCrds } from './apply.ts';
export { generatedCrds } from './generate.ts';
export * from './reloader-config.ts';
