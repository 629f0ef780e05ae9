/**
 * The flags of the earlier operator that introduced ReloaderConfigs, without those that Stakater has under the same
 * name.
 */
import { type FlagTable, flag } from './flag.ts';
import { bool, choice, optionalAddress, refused, text, url } from './value-types.ts';

const NO_ADDRESS: string | undefined = undefined;
const NO_URL: string | undefined = undefined;
const OWN_CERTIFICATE =
  'the admission webhook (--enable-admission) makes and renews its certificate itself, leave the flag out';

export const CONFIG_OPERATOR_FLAGS = {
  kubeconfig: flag(
    text,
    '',
    'Path of a kubeconfig; otherwise KUBECONFIG, ~/.kube/config, then the pod itself.',
  ),
  'leader-elect': flag(bool, false, 'The same as --enable-ha, without need for POD_NAME and POD_NAMESPACE.'),
  'rollout-strategy': flag(
    choice('rollout', 'restart'),
    'rollout',
    'For targets of a ReloaderConfig that do not say: change the pod template, or evict pod by pod without changing it.',
  ),
  'metrics-bind-address': flag(optionalAddress, NO_ADDRESS, 'A further address for /metrics; 0 for none.'),
  'metrics-secure': flag(
    bool,
    true,
    'Serve that further address over TLS, to callers whom the API server lets get /metrics.',
  ),
  'metrics-cert-path': flag(
    text,
    '',
    'Directory with the certificate for it; without, one is made and kept in the Secret reloader-metrics-cert.',
  ),
  'metrics-cert-name': flag(text, 'tls.crt', 'File of the certificate in that directory.'),
  'metrics-cert-key': flag(text, 'tls.key', 'File of its key.'),
  'enable-http2': flag(bool, false, 'Offer HTTP/2 at the TLS address of --metrics-bind-address.'),
  'health-probe-bind-address': flag(
    optionalAddress,
    NO_ADDRESS,
    'A further address for /healthz and /readyz, such as :8081; 0 for none.',
  ),
  'alert-on-reload': flag(
    bool,
    false,
    'Send alerts for every reload, failure and deferral. Needs --alert-webhook-url.',
  ),
  'alert-sink': flag(
    choice('slack', 'teams', 'gchat', 'webhook'),
    'webhook',
    'Shape of the alert; webhook has that of Slack.',
  ),
  'alert-webhook-url': flag(url, NO_URL, 'Where alerts go.'),
  'alert-additional-info': flag(text, '', 'Text in every alert, such as the name of the cluster.'),
  'zap-log-level': flag(
    text,
    '',
    'debug, info, error, panic or a number (1 is debug, more is trace). --log-level wins.',
  ),
  'zap-devel': flag(
    bool,
    false,
    'Text and debug messages where no other flag says otherwise; with =false JSON.',
  ),
  'zap-encoder': flag(choice('', 'json', 'console'), '', 'json or console (text). --log-format wins.'),
  'zap-time-encoding': flag(
    refused('times are always written as RFC 3339', '', 'iso8601', 'rfc3339', 'rfc3339nano'),
    'rfc3339nano',
    'iso8601, rfc3339 or rfc3339nano, all of which are what is written; others are refused.',
  ),
  'zap-stacktrace-level': flag(
    refused('stack traces are written with --log-level=debug or trace, and only then', ''),
    '',
    'Refused: stack traces come with --log-level=debug.',
  ),
  'webhook-cert-path': flag(
    refused(OWN_CERTIFICATE, ''),
    '',
    'Refused: the admission webhook (--enable-admission) makes and renews its certificate itself.',
  ),
  'webhook-cert-name': flag(refused(OWN_CERTIFICATE, '', 'tls.crt'), 'tls.crt', 'Refused likewise.'),
  'webhook-cert-key': flag(refused(OWN_CERTIFICATE, '', 'tls.key'), 'tls.key', 'Refused likewise.'),
} satisfies FlagTable;
