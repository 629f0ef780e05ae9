/** Security contexts of pods and containers. */
import { array, record } from '../fields.ts';
import type { Field } from '../validate/field.ts';
import { Struct } from '../validate/go-format.ts';
import { rangeText } from '../validate/names.ts';

const MAX_ID = 2 ** 31 - 1;

function validateId(id: Field): void {
  if (!id.absent && (id.number < 0 || id.number > MAX_ID)) id.invalid(rangeText(0, MAX_ID));
}

export function validatePodSecurityContext(context: Field): void {
  for (const name of ['fsGroup', 'runAsUser', 'runAsGroup']) validateId(context.child(name));
  for (const group of context.child('supplementalGroups').items()) validateId(group);
  const policy = context.child('fsGroupChangePolicy');
  if (!policy.absent && !['Always', 'OnRootMismatch'].includes(policy.text)) {
    policy.notSupported(['Always', 'OnRootMismatch']);
  }
  validateSeccomp(context.child('seccompProfile'));
}

export function validateSecurityContext(context: Field): void {
  if (context.absent) return;
  for (const name of ['runAsUser', 'runAsGroup']) validateId(context.child(name));
  validateSeccomp(context.child('seccompProfile'));
  const { allowPrivilegeEscalation, privileged, capabilities } = record(context.value);
  if (allowPrivilegeEscalation !== false) return;
  if (privileged === true) {
    context.invalid('cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
  }
  if (array(record(capabilities).add).includes('CAP_SYS_ADMIN')) {
    context.invalid('cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN');
  }
}

const SECCOMP = ['Localhost', 'RuntimeDefault', 'Unconfined'];

function validateSeccomp(profile: Field): void {
  if (profile.absent) return;
  const type = profile.child('type');
  const local = profile.child('localhostProfile');
  if (type.empty) type.required('type is required when seccompProfile is set');
  else if (!SECCOMP.includes(type.text)) type.notSupported(SECCOMP);
  if (type.text === 'Localhost') {
    if (local.absent) local.required('must be set when seccomp type is Localhost');
  } else if (!local.absent) {
    const shown = new Struct({ Type: type.text, LocalhostProfile: local.value });
    local.invalid('can only be set when seccomp type is Localhost', shown);
  }
}
