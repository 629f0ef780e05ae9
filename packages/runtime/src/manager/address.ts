/** Addresses as flags give them: `:9090`, `127.0.0.1:9090`, `[::1]:9090`, `9090`. */
export interface ListenAddress {
  /** Undefined listens on all interfaces. */
  readonly host: string | undefined;
  readonly port: number;
}

/** Parses `:8080`, `127.0.0.1:8080` or `[::1]:8080`; throws with the text that it cannot parse. */
export function parseAddress(text: string): ListenAddress {
  const match = /^(?:(?:\[(?<v6>[^\]]*)\]|(?<host>[^:[\]]*)):)?(?<port>\d+)$/.exec(text.trim());
  const port = Number(match?.groups?.port);
  if (!match || port > 65_535) {
    throw new RangeError(`Cannot listen on "${text}": use host:port, [v6]:port or :port`);
  }
  return { host: match.groups?.v6 || match.groups?.host || undefined, port };
}
