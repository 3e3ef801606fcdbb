/** Temporal: Node's own from 26 on; on an older Node the polyfill, which only then is compiled. */
export const Temporal = globalThis.Temporal ?? require('./temporal-polyfill.js').Temporal;
