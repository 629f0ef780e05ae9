/** Names that users see, repeated here: a test must not take them from the code under test. */
export const PREFIX = 'reloader.stakater.com';
export const LEDGER = `${PREFIX}/ledger`;
export const ROLLED = `${PREFIX}/rolled`;
export const LAST_RELOADED_FROM = `${PREFIX}/last-reloaded-from`;
export const LAST_RELOAD = `${PREFIX}/last-reload`;
export const PAUSED_AT = `deployment.${PREFIX}/paused-at`;
export const TRIGGERED_AT = 'RELOADER_TRIGGERED_AT';
export const DIGEST_KEY = 'reloader-digest-key';
export const HISTORY = 'reloader-history';
export const META_INFO = 'reloader-meta-info';
export const LEASE = 'stakater-reloader-lock';
export const FIELD_MANAGER = 'Reloader';

/** Every secret value of a scenario begins with this, so that one search finds them all. */
export const CANARY = 'CANARY';
/** The same in base64: six characters fill whole groups of three. */
export const CANARY_BASE64 = Buffer.from(CANARY).toString('base64');
