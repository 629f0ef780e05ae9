export { type ApplyCrdsOptions, applyCrds } from './apply.ts';
export { generatedCrds } from './generate.ts';
export { podConfigMapConfigCrd } from './pod-config-map-config.ts';
export * from './reloader-config.ts';
