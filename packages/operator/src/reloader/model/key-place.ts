/** Where the digest key stands; `none`: plain hashes were asked for. */
export type KeyPlace = 'secret' | 'config-map' | 'process' | 'none';
