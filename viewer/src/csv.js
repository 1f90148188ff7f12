/** The numbers of a plot as a table. */

const quoted = (text) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Single precision has about seven digits: more would be noise. */
const written = (values) => (values instanceof Float32Array ? (i) => String(Number(values[i].toPrecision(8))) : (i) => String(values[i]));

export function csvOf(axis, x, plot) {
  const unit = plot.unit ? ` [${plot.unit}]` : '';
  const names = plot.series.map((s) => quoted(`${s.name}${s.by ? ` by ${s.by}` : ''}${unit}`));
  const columns = [written(x), ...plot.series.map((s) => written(s.values))];
  const lines = [[quoted(axis), ...names].join(',')];
  for (let i = 0; i < x.length; ++i) lines.push(columns.map((column) => column(i)).join(','));
  return lines.join('\n') + '\n';
}

/** Two columns for each curve of a plane. */
export function phaseCsv(plot) {
  const columns = plot.series.flatMap((s) => [written(s.x), written(s.values)]);
  const names = plot.series.flatMap((s) => [quoted(`${s.name}: ${plot.axis}`), quoted(`${s.name} [${plot.unit}]`)]);
  const lengths = plot.series.flatMap((s) => [s.x.length, s.values.length]);
  const lines = [names.join(',')];
  for (let i = 0; i < Math.max(...lengths); ++i) lines.push(columns.map((column, c) => (i < lengths[c] ? column(i) : '')).join(','));
  return lines.join('\n') + '\n';
}

export function download(name, text) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
