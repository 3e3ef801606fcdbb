/** Temporal: Node's own from 26 on; on an older Node the polyfill, compiled only then. */
export const Temporal = globalThis.Temporal ?? require('./temporal-polyfill.js').Temporal;
