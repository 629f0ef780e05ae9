/** Directives: keys of a strategic merge patch that are no fields. */
export const DIRECTIVE = '$patch';
export const RETAIN_KEYS = '$retainKeys';
export const SET_ORDER = '$setElementOrder/';
export const DELETE_FROM_LIST = '$deleteFromPrimitiveList/';
