/** What listens where. */
import { parseAddress } from '@reloader/runtime';
import { badFlag } from './arguments.ts';
import type { FlagName, FlagValues } from './flags.ts';
import type { MetricsServerSettings, Settings } from './settings.ts';

export function serverSettings(
  values: FlagValues,
): Pick<Settings, 'httpAddress' | 'probeAddress' | 'metricsServer' | 'pprofAddress' | 'admission'> {
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
  // Port 0 takes any that is free, so two of those are never the same.
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
    pprofAddress: values['enable-pprof'] ? claim('pprof-addr', values['pprof-addr']) : undefined,
    admission: values['enable-admission']
      ? {
          address: claim('admission-bind-address', values['admission-bind-address']),
          name: values['admission-name'],
        }
      : undefined,
  };
}

function metricsServer(values: FlagValues): MetricsServerSettings | undefined {
  const address = values['metrics-bind-address'];
  if (address === undefined) return undefined;
  const directory = values['metrics-cert-path'];
  return {
    address,
    secure: values['metrics-secure'],
    http2: values['enable-http2'],
    certificate:
      directory === ''
        ? undefined
        : { directory, certFile: values['metrics-cert-name'], keyFile: values['metrics-cert-key'] },
  };
}
