/** Generates `docs/cli.md` from the definitions of the commands. */

import { systemClock } from '@reloader/runtime';
import { markdownTable } from '@reloader/runtime/kind';
import type { Argument, Command, Option } from 'commander';
import type { CommandIO } from './command-io.ts';
import { defineCommands } from './define.ts';

const EXIT_CODES = markdownTable(
  ['exit code', 'meaning'],
  [
    ['0', 'done'],
    ['1', 'it failed, or `check` or `lint` found something'],
    ['2', 'wrong usage; the message says what to write'],
  ],
);

const PATHS = markdownTable(
  ['path', 'answer'],
  [
    ['`/api/v1/status`', 'version, mode, what is followed, pending, failing'],
    [
      '`/api/v1/overview`',
      'counts by state, and the first of what fails, waits, rolls out, is frozen or has to be approved; `?namespace=`',
    ],
    [
      '`/api/v1/workloads`',
      'workloads that ask for reloads, by name, with counts by state; `?namespace=&kind=&state=&source=&workload=&q=` filter; 500 at once, or `limit` of at most 1,000; then `continue` (or `offset`) for the next ones',
    ],
    ['`/api/v1/workloads/{kind}/{namespace}/{name}`', 'the answer of `explain`'],
    [
      '`/api/v1/what-if?kind=&ns=&name=`',
      'the answer of `what-if`; also `deleted=true`, and `key=` for each key that changes',
    ],
    ['`/api/v1/history`', 'the last reloads, the newest first; `?namespace=` for one namespace'],
    [
      '`/api/v1/sources`',
      'sources that somebody is reloaded for, and when they were last written; pages like those of workloads',
    ],
    [
      '`/api/v1/sources/{kind}/{namespace}/{name}`',
      'who is reloaded for a source (how many, and the first 100), and the changes that were seen',
    ],
    [
      '`/api/v1/timeline`',
      'changes, waits, reloads and results since the operator started, 10,000 at most, and reloads of before that the history kept; `?since=&until=&workload=&source=&limit=`',
    ],
    [
      '`/api/v1/stream`',
      'what changes, as server-sent events; goes on after `Last-Event-ID`. At most 32 at once, one batch in 100 ms; in 500 ms while more than 20 workloads change at once; while more than 100 do, one after the last change, or every 3 s until then. After more than 100 changes a batch says `more`, and lists have to be read again',
    ],
    ['`/api/v1/me`', 'who asks, and what it may do'],
    ['`/api/v1/openapi.json`', 'all of this as an OpenAPI document'],
  ],
);

const INTRODUCTION = `<!-- Generated from packages/operator/src/cli: change it there, then run \`npm run generate\`. -->

# The reloader command

One program runs the operator and answers questions about it. Installed under the name \`kubectl-reloader\` (both names come
with the package) it is a plugin of kubectl: \`kubectl reloader explain deployment/web\`.

In a pod, flags without a command run the operator, so the arguments of a Stakater Reloader Deployment work as they are. On
a terminal it takes \`reloader run\`: trying the command starts nothing on the cluster of your current context. Options of
all other commands stand after the command. [Get the command](get-the-command.md) tells how to install it.

${EXIT_CODES}
What goes wrong is one line on standard error that says what to do next; \`--debug\` adds the stack. \`-o json\` and \`-o yaml\`
write the answer for programs, \`-o name\` names for the next command, \`-o wide\` tables with all columns and nothing cut.
Objects are written as for kubectl, several at once: \`deployment/web sts/db\`, or \`deployment web shop\`. Colours appear only on a terminal, and never with \`NO_COLOR\`. What takes longer than a second says so on
standard error, on a terminal.
`;

const ANSWERS = `## Where answers come from

\`explain\`, \`what-if\`, \`status\` and \`history\` ask the running operator: it alone knows what already waits and since when, and
it has the digest key, without which nobody can tell whether a Secret changed. It is found by the label
\`app.kubernetes.io/name=reloader\` or \`app.kubernetes.io/part-of=reloader\` on its Service, or as Service \`reloader\` in
namespace \`reloader\`. It answers on loopback of its pods, and the command gets there as \`kubectl port-forward\` does, so you need the right to that (the verb is \`create\`,
before Kubernetes 1.35 \`get\`):

\`\`\`yaml
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: reloader-questions
  namespace: reloader
rules:
  - apiGroups: [""]
    resources: ["services", "pods"]
    verbs: ["get", "list"]
  - apiGroups: [""]
    resources: ["pods/portforward"]
    verbs: ["get", "create"]
\`\`\`

Of several replicas the one that leads is asked, of several operators the one that watches the namespace. With \`--operator URL\` it is asked at an address, such as that of a
\`kubectl port-forward\` of your own. Where it cannot be reached, \`explain\`
and \`what-if\` read the cluster with your own rights, decide by the engine's own functions with the flags of the operator's
Deployment, and say under the answer what they could not know. \`history\` reads the ConfigMap \`reloader-history\`.

## The HTTP API

The operator serves JSON on port 9090, read-only, and only on loopback: the client runs in the pod or comes by a
port-forward, which Kubernetes authorizes. At any other address the port answers 403. A request has to name \`localhost\`,
\`127.0.0.1\` or \`[::1]\` as its host (\`--api-allowed-hosts\` adds names, for a proxy in the same pod), and pages of other
sites are refused.

With \`--api-bind-address\` there is a further address, over TLS, for callers who show a token. The API server is asked
whose it is, and whether that user may \`list\` \`reloaderconfigs\` in the namespace in question, or in all of them where none
is named. The roles \`view\`, \`edit\` and \`admin\` of Kubernetes allow it once the operator is installed. Of Secrets and ConfigMaps such a
caller is told the names that workloads use, and nothing of others. Everything else is 403, whether it exists or not.

Answers hold names, rules and times, never digests and nothing of a source's content.

${PATHS}
## The audit log

With \`--audit-log FILE\` (or \`-\` for standard output) the operator appends a line of JSON for every reload, failure, rollout
that ended, and reload that is held back:

\`\`\`text
{"audit":true,"time":"2026-01-01T12:00:00.000Z","action":"reload","outcome":"done","workload":{"kind":"Deployment","namespace":"shop","name":"web","uid":"5b1c"},"seq":7,"causes":[{"kind":"Secret","namespace":"shop","name":"credentials","finding":"changed","rule":"auto","changedBy":"vault-agent","changedAt":"2026-01-01T11:59:58.000Z"}],"strategy":"env-vars","seen":"2026-01-01T11:59:59.000Z"}
\`\`\`

\`action\` is reload, undo (\`undoes\` is the number of the reload that had failed), restore (ConfigMaps after a reload that failed), rollout, hold, record or observe, or for changes of rules rule, freeze or unfreeze, with \`object\` in the place
of \`workload\` and \`by\`, the field manager of the change; \`outcome\` is done, retrying, failed, succeeded, timeout, superseded,
restored, refused, fought, held or noted. \`rule\` is the rule that asked for the source, \`configs\` the ReloaderConfigs that did, \`changedBy\` and \`changedAt\` the field manager and the
time of the last write to it. Digests of Secrets and values never stand in it. Fields are only ever added. What it answers is told
in [who restarted this](audit.md).
`;

/** None of it is called: only the definitions are read. */
const NOWHERE: CommandIO = {
  startsByItself: true,
  operate: async () => 0,
  print: () => undefined,
  complain: () => undefined,
  connect: () => Promise.reject(new Error('documentation has no cluster')),
  fetch: () => Promise.reject(new Error('documentation has no network')),
  readFile: () => Promise.reject(new Error('documentation has no files')),
  listFiles: async () => [],
  openInBrowser: () => undefined,
  environment: {},
  clock: systemClock,
  signal: new AbortController().signal,
  colours: false,
  ask: async () => undefined,
  showsProgress: false,
  columns: undefined,
  programName: 'reloader',
};

export function cliDocument(): string {
  const program = defineCommands(NOWHERE, () => undefined);
  const shown = program.commands.filter((command) => !command.name().startsWith('__'));
  return [INTRODUCTION, '## Commands\n', ...shown.map(commandText), ANSWERS].join('\n');
}

function commandText(command: Command): string {
  const parts = [
    `### reloader ${command.name()}\n`,
    `\`\`\`text\nreloader ${command.name()} ${command.usage()}\n\`\`\`\n`,
    `${command.description()}\n`,
    ...(command.name() === 'run' ? ['All flags: [flags.md](flags.md).\n'] : []),
    list(command.registeredArguments.map(argumentText)),
    list(command.options.map(optionText)),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function list(items: readonly string[]): string {
  return items.length === 0 ? '' : `${items.map((item) => `- ${item}`).join('\n')}\n`;
}

function argumentText(argument: Argument): string {
  const choices = argument.argChoices ? ` (${argument.argChoices.join(', ')})` : '';
  return `\`${argument.name()}\`: ${argument.description || 'one of these'}${choices}`;
}

function optionText({ flags, description, argChoices, defaultValue }: Option): string {
  const choices = argChoices ? `: ${argChoices.join(' or ')}` : '';
  const fallback = defaultValue === undefined ? '' : ` (default \`${String(defaultValue)}\`)`;
  return `\`${flags}\`: ${description}${choices}${fallback}`;
}
