/** rbac.authorization.k8s.io. `auth/` evaluates the rules. */
import type { KubeObject } from '../../model/object.ts';
import { dig, ensure, type Fields, fillEmpty, record, records, same, text } from '../fields.ts';
import type { Kind } from '../kind.ts';
import { age, column, name, wide } from '../table.ts';
import { collect, type Field } from '../validate/field.ts';
import { Struct } from '../validate/go-format.ts';
import { dnsSubdomain, pathSegment } from '../validate/names.ts';
import { validateLabelSelector } from '../validate/selector.ts';
import { define } from './define.ts';

const GROUP = 'rbac.authorization.k8s.io';

const common = {
  group: GROUP,
  generation: 'never',
  nameRule: pathSegment,
  createOnUpdate: true,
  checksMetadataTwice: true,
} as const;

const createdAt = column('Created At', (object) => object.metadata.creationTimestamp, { type: 'date' });

/** A role without rules has `rules: null`. */
function showRules(object: KubeObject): void {
  if (records(object.rules).length === 0) object.rules = null;
}

export const roles: Kind = define({
  ...common,
  kind: 'Role',
  plural: 'roles',
  columns: [name, createdAt],
  setDefaults: showRules,
  validateCreate: (object) => collect(object, (root) => validateRules(root, true)),
  validateUpdate: (object) => collect(object, (root) => validateRules(root, true)),
});

export const clusterRoles: Kind = define({
  ...common,
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
  columns: [name, createdAt],
  setDefaults: showRules,
  validateCreate: (object) => collect(object, validateClusterRole),
  validateUpdate: (object) => collect(object, validateClusterRole),
});

function validateClusterRole(root: Field): void {
  validateRules(root, false);
  const aggregation = root.child('aggregationRule');
  if (aggregation.absent) return;
  const selectors = aggregation.child('clusterRoleSelectors');
  if (selectors.count === 0) {
    selectors.required('at least one clusterRoleSelector required if aggregationRule is non-nil');
  }
  for (const selector of selectors.items()) validateLabelSelector(selector);
}

function validateRules(root: Field, namespaced: boolean): void {
  for (const rule of root.child('rules').items()) {
    if (rule.child('verbs').count === 0)
      rule.child('verbs').required('verbs must contain at least one value');
    const urls = rule.child('nonResourceURLs');
    if (urls.count > 0) {
      if (namespaced) urls.invalid('namespaced rules cannot apply to non-resource URLs');
      if (['apiGroups', 'resources', 'resourceNames'].some((field) => rule.child(field).count > 0)) {
        urls.invalid('rules cannot apply to both regular resources and non-resource URLs');
      }
      continue;
    }
    if (rule.child('apiGroups').count === 0) {
      rule.child('apiGroups').required('resource rules must supply at least one api group');
    }
    if (rule.child('resources').count === 0) {
      rule.child('resources').required('resource rules must supply at least one resource');
    }
  }
}

function setBindingDefaults(object: KubeObject): void {
  fillEmpty(ensure(object, 'roleRef'), { apiGroup: GROUP });
  for (const subject of records(object.subjects)) {
    if (subject.kind === 'User' || subject.kind === 'Group') fillEmpty(subject, { apiGroup: GROUP });
  }
}

const subjectsOf = (object: KubeObject, kind: string): string =>
  records(object.subjects)
    .filter((subject) => subject.kind === kind)
    .map((subject) =>
      kind === 'ServiceAccount' ? `${text(subject.namespace)}/${text(subject.name)}` : text(subject.name),
    )
    .join(', ');

const bindingColumns: Kind['columns'] = [
  name,
  column(
    'Role',
    (object) => `${text(dig(object, 'roleRef', 'kind'))}/${text(dig(object, 'roleRef', 'name'))}`,
  ),
  age,
  wide('Users', (object) => subjectsOf(object, 'User')),
  wide('Groups', (object) => subjectsOf(object, 'Group')),
  wide('ServiceAccounts', (object) => subjectsOf(object, 'ServiceAccount')),
];

const binding = (kind: string, plural: string, namespaced: boolean): Kind =>
  define({
    ...common,
    kind,
    plural,
    namespaced,
    columns: bindingColumns,
    setDefaults: setBindingDefaults,
    validateCreate: (object) => collect(object, (root) => validateBinding(root, namespaced)),
    validateUpdate: (object, old) =>
      collect(object, (root) => {
        validateBinding(root, namespaced);
        if (!same(object.roleRef, old.roleRef)) {
          root.child('roleRef').invalid('cannot change roleRef', internalRoleRef(record(object.roleRef)));
        }
      }),
  });

/** The server prints its internal type here, whose fields have no JSON names. */
const internalRoleRef = (reference: Fields): Struct =>
  new Struct({ APIGroup: reference.apiGroup, Kind: reference.kind, Name: reference.name });

export const roleBindings: Kind = binding('RoleBinding', 'rolebindings', true);
export const clusterRoleBindings: Kind = binding('ClusterRoleBinding', 'clusterrolebindings', false);

function validateBinding(root: Field, namespaced: boolean): void {
  const reference = root.child('roleRef');
  const group = reference.child('apiGroup');
  if (group.text !== GROUP) group.notSupported([GROUP], group.text);
  const kinds = namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const kind = reference.child('kind');
  if (!kinds.includes(kind.text)) kind.notSupported(kinds, kind.text);
  const role = reference.child('name');
  if (role.empty) role.required();
  else role.invalidAll(pathSegment(role.text));
  for (const subject of root.child('subjects').items()) validateSubject(subject, namespaced);
}

function validateSubject(subject: Field, namespaced: boolean): void {
  const subjectName = subject.child('name');
  const group = subject.child('apiGroup');
  const kind = subject.child('kind');
  if (subjectName.empty) subjectName.required();
  if (kind.text === 'ServiceAccount') {
    if (!subjectName.empty) subjectName.invalidAll(dnsSubdomain(subjectName.text));
    if (!group.empty) group.notSupported(['']);
    if (!namespaced && subject.child('namespace').empty) subject.child('namespace').required();
  } else if (kind.text === 'User' || kind.text === 'Group') {
    if (group.text !== GROUP) group.notSupported([GROUP], group.text);
  } else kind.notSupported(['ServiceAccount', 'User', 'Group'], kind.text);
}
