/** Where the digest key is stored; `none`: the flags ask for plain hashes. */
export type KeyPlace = 'secret' | 'config-map' | 'process' | 'none';
