/** Flags that only this operator has. */

import type { RateLimit } from '../reloader/model/rate.ts';
import { type FlagTable, flag } from './flag.ts';
import { address, bool, choice, count, duration, list, optionalAddress, rate, text } from './value-types.ts';

const NONE_GIVEN: readonly string[] = [];
const NO_ADDRESS: string | undefined = undefined;
const DEFAULT_RATE: RateLimit | undefined = { perHour: 60, burst: 60 };
const CONTROLLERS: readonly string[] = ['reloader', 'podconfig'];

export const OWN_FLAGS = {
  mode: flag(
    choice('reload', 'observe'),
    'reload',
    'observe decides and reports, and writes nothing to workloads.',
  ),
  settle: flag(
    duration,
    1_000,
    'A workload is reloaded when its sources have been quiet for so long; 0s reloads at once.',
  ),
  'settle-max': flag(
    duration,
    10_000,
    'At the latest so long after the first change, however busy they are.',
  ),
  'batch-window': flag(
    duration,
    0,
    'Collect the changes of a workload for so long after the first and reload once; 0s for no window.',
  ),
  'max-unfinished-rollouts': flag(
    count,
    0,
    'Begin no reload while so many rollouts of ours are under way; 0 for no limit.',
  ),
  'warn-fan-out': flag(
    count,
    100,
    'Say so before, when a change of one Secret or ConfigMap would restart more workloads than this together; 0 for no warning.',
  ),
  'reload-rate': flag(
    rate,
    DEFAULT_RATE,
    'How often one workload is reloaded at most: so many an hour / so many at once. No person reaches the default, a fight over a Secret does; 0 for no limit.',
  ),
  'rollout-deadline': flag(
    duration,
    900_000,
    'Without progress for so long, a rollout has failed where Kubernetes knows no deadline, and others may begin.',
  ),
  verify: flag(
    bool,
    false,
    'Verify the reloads of all workloads, as annotation reloader.stakater.com/verify does for one.',
  ),
  'restore-config-maps': flag(
    bool,
    false,
    'Where a workload or a ReloaderConfig asks for it with onFailure: restore, put ConfigMaps back to the last content that worked after a reload that failed. Needs the right to create, patch and delete ConfigMaps.',
  ),
  'key-level': flag(bool, false, 'Only changes of keys that a workload really uses reload it.'),
  'cronjob-strategy': flag(
    choice('run', 'next-run'),
    'next-run',
    'For CronJobs that are targets of a ReloaderConfig: run a Job now, or leave it to the next scheduled one.',
  ),
  'finished-jobs': flag(
    choice('run', 'skip'),
    'run',
    'Whether annotated Jobs that have finished run again at a change, as with Stakater Reloader.',
  ),
  'allow-cross-namespace': flag(
    bool,
    false,
    'Let a ReloaderConfig act on every namespace; otherwise the target Namespace has to allow it.',
  ),
  'namespace-defaults': flag(
    bool,
    false,
    'Read reloader.stakater.com/ annotations of Namespaces as defaults.',
  ),
  recreate: flag(
    choice('reload', 'ignore'),
    'reload',
    'What a source that was deleted and made again with other content does; Stakater Reloader ignores it.',
  ),
  takeover: flag(
    choice('adopt', 'catch-up'),
    'adopt',
    'Workloads that another reloader left behind a change: record the present state, or reload them.',
  ),
  digest: flag(
    choice('keyed', 'sha1'),
    'keyed',
    "How digests of Secrets are made: with a key of this installation, or as Stakater's plain SHA-1.",
  ),
  'write-source-hash': flag(
    bool,
    false,
    'Write the digest of a changed source to its annotation reloader.stakater.com/last-hash.',
  ),
  'reload-on-generated': flag(
    bool,
    false,
    'ConfigMaps that were made from a PodConfigMapConfig reload workloads, too.',
  ),
  'alert-events': flag(
    list,
    NONE_GIVEN,
    'What global alerts tell of: reloaded, failed, deferred. All of them unless given; with ALERT_ON_RELOAD reloaded alone, as with Stakater Reloader.',
  ),
  'alert-template': flag(
    text,
    '',
    'Go template for global alerts. A result that is a JSON object is sent as it is, any other as the text of the message.',
  ),
  'alert-teams-format': flag(
    choice('auto', 'adaptive-card', 'message-card'),
    'auto',
    'Shape of global alerts for Teams by --alert-sink; auto takes the old message card for the hosts of old connectors.',
  ),
  'alert-group-window': flag(
    duration,
    2_000,
    'Alerts for one receiver within so long are one message; 0s sends each by itself, which ALERT_ON_RELOAD does unless this flag is given.',
  ),
  'alert-allowed-hosts': flag(
    list,
    NONE_GIVEN,
    'Hosts to which alerts may go, such as hooks.slack.com or *.example.com, in private networks too; any public one unless given.',
  ),
  'alert-allow-internal': flag(
    bool,
    false,
    'Allow receivers of alerts at loopback, link-local, cloud metadata and private addresses, also to ReloaderConfigs.',
  ),
  controllers: flag(
    list,
    CONTROLLERS,
    'What runs in this process. podconfig costs next to nothing where its definition is not installed.',
  ),
  'audit-log': flag(
    text,
    '',
    'Append a line of JSON to this file (- for standard output) for every reload, what led to it and how it ended.',
  ),
  'enable-admission': flag(
    bool,
    false,
    'Refuse ReloaderConfigs and PodConfigMapConfigs with mistakes as soon as they are applied, and content that breaks a rule; fails open.',
  ),
  'admission-bind-address': flag(address, ':9443', 'Where the API server asks, with --enable-admission.'),
  'admission-name': flag(
    text,
    'reloader-admission',
    'Name of the Service, the ValidatingWebhookConfiguration and the Secret with the certificate of admission.',
  ),
  'http-bind-address': flag(
    address,
    ':9090',
    'Where /metrics, /live, /healthz and /readyz are served, and on loopback /api/v1.',
  ),
  'api-bind-address': flag(
    optionalAddress,
    NO_ADDRESS,
    'A further address for /api/v1, over TLS, for callers whose token may list ReloaderConfigs; 0 for none.',
  ),
  'ui-bind-address': flag(
    optionalAddress,
    NO_ADDRESS,
    'A further address for the page at /ui/ with the /api/v1 that it reads, over TLS, for people whose token may list ReloaderConfigs; 0 for none.',
  ),
  'api-allowed-hosts': flag(
    list,
    NONE_GIVEN,
    'Host names under which /api/v1 and /ui/ are answered on loopback and at --ui-bind-address, beside localhost and those of the Service: those of a proxy in front.',
  ),
  'ui-host': flag(list, NONE_GIVEN, 'Further names, with the same meaning as --api-allowed-hosts.'),
} satisfies FlagTable;
