/** The document of data in the page (docs/report_data.md). */

export function readData(text) {
  const data = JSON.parse(text);
  if (data?.format !== 'gough-report' && data?.format !== 'gough-view') throw new Error('the data in this page are not those of a gough report');
  if (data.version !== 1) throw new Error(`the data have version ${data.version}, this page reads 1`);
  const unpackAll = (node) => {
    if (Array.isArray(node)) return node.map(unpackAll);
    if (node === null || typeof node !== 'object') return node;
    if (typeof node.base64 === 'string') return unpack(node);
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, unpackAll(value)]));
  };
  return unpackAll(data);
}

/** Base64 of little-endian numbers, as all machines that run browsers have them. */
export function unpack({ type, n, base64 }) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = text.charCodeAt(i);
  const values = type === 'f64' ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer);
  if (values.length !== n) throw new Error(`read ${values.length} numbers, expected ${n}`);
  return values;
}

/** The last index whose value is not above x, in a sorted list; 0 where all are above. */
export function indexBelow(sorted, x) {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (sorted[middle] <= x) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function nearestIndex(sorted, x) {
  const i = indexBelow(sorted, x);
  return i + 1 < sorted.length && sorted[i + 1] - x < x - sorted[i] ? i + 1 : i;
}

/** A number for reading; below `noise` it is zero. */
export function shown(x, noise = 0) {
  if (x === null || x === undefined || Number.isNaN(x)) return '–';
  const size = Math.abs(x);
  if (size <= noise) return '0';
  if (size < 1e-3 || size >= 1e5) return x.toExponential(3);
  return x.toPrecision(5).replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
}
