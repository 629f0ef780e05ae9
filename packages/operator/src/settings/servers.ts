/** The servers and their addresses. */
import { parseAddress } from '@reloader/runtime';
import { badFlag } from './arguments.ts';
import type { FlagName, FlagValues } from './flags.ts';
import { isLoopback } from './loopback.ts';
import type { MetricsServerSettings, Notice, SecureServerSettings, Settings } from './settings.ts';

export function serverSettings(
  values: FlagValues,
  notices: Notice[],
): Pick<Settings, 'httpAddress' | 'probeAddress' | 'metricsServer' | 'api' | 'pprofAddress' | 'admission'> {
  const httpAddress = values['http-bind-address'];
  const taken = new Map<string, FlagName>();
  const claim = (name: FlagName, address: string): string => {
    const port = String(parseAddress(address).port);
    const other = taken.get(port);
    if (other !== undefined && port !== '0') {
      throw badFlag(name, address, `port ${port} is that of --${other} already: use another one`);
    }
    taken.set(port, name);
    return address;
  };
  claim('http-bind-address', httpAddress);
  // Port 0 takes any free port, so two of those are never the same.
  const isMain = (address: string): boolean => address === httpAddress && parseAddress(address).port !== 0;
  const probes = values['health-probe-bind-address'];
  const metrics = metricsServer(values);
  return {
    httpAddress,
    // The same address serves probes anyway.
    probeAddress:
      probes === undefined || isMain(probes) ? undefined : claim('health-probe-bind-address', probes),
    metricsServer:
      metrics === undefined || (isMain(metrics.address) && !metrics.secure)
        ? undefined
        : { ...metrics, address: claim('metrics-bind-address', metrics.address) },
    api: {
      server: tokenServer('api-bind-address', values, claim),
      ui: tokenServer('ui-bind-address', values, claim),
      allowedHosts: [...values['api-allowed-hosts'], ...values['ui-host']].map((host) => host.toLowerCase()),
    },
    pprofAddress: values['enable-pprof']
      ? onLoopback(claim('pprof-addr', values['pprof-addr']), notices)
      : undefined,
    admission: values['enable-admission']
      ? {
          address: claim('admission-bind-address', values['admission-bind-address']),
          name: values['admission-name'],
        }
      : undefined,
  };
}

/** Profiles are for users who may open a port-forward: the server listens only on loopback. */
function onLoopback(given: string, notices: Notice[]): string {
  const { host, port } = parseAddress(given);
  const used = host === '::1' ? `[::1]:${port}` : `127.0.0.1:${port}`;
  if (host !== undefined && !isLoopback(host)) {
    notices.push({
      level: 'warn',
      message: 'Profiles are served on loopback only: reach them with kubectl port-forward',
      values: { flag: '--pprof-addr', given, used },
    });
  }
  return used;
}

function tokenServer(
  flag: 'api-bind-address' | 'ui-bind-address',
  values: FlagValues,
  claim: (name: FlagName, address: string) => string,
): SecureServerSettings | undefined {
  const address = values[flag];
  if (address === undefined) return undefined;
  return { ...secureServer(values), address: claim(flag, address) };
}

function metricsServer(values: FlagValues): MetricsServerSettings | undefined {
  const address = values['metrics-bind-address'];
  if (address === undefined) return undefined;
  return { ...secureServer(values), address, secure: values['metrics-secure'] };
}

/** The settings that all addresses over TLS share. */
function secureServer(values: FlagValues): Omit<SecureServerSettings, 'address'> {
  const directory = values['metrics-cert-path'];
  return {
    http2: values['enable-http2'],
    certificate:
      directory === ''
        ? undefined
        : { directory, certFile: values['metrics-cert-name'], keyFile: values['metrics-cert-key'] },
  };
}
