/** Facts, notes and tables. All text comes from files that people wrote: it is only ever set as text. */

export function make(tag, text, attributes = {}) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

export function showFacts(data) {
  document.getElementById('title').textContent = data.title;
  document.getElementById('description').textContent = data.description;
  const list = document.getElementById('facts');
  list.replaceChildren();
  for (const [name, value] of data.facts) {
    const fact = make('div');
    fact.append(make('dt', name), make('dd', value));
    list.append(fact);
  }
}

export function showNotes(notes) {
  const place = document.getElementById('notes');
  place.replaceChildren();
  const remarks = notes.filter((note) => note.severity !== 'warning');
  for (const note of notes) if (note.severity === 'warning') place.append(make('p', note.text, { class: 'note warning' }));
  if (remarks.length === 0) return;
  const fold = make('details', undefined, { class: 'note' });
  const list = make('ul');
  for (const note of remarks) list.append(make('li', note.text));
  fold.append(make('summary', remarks.length === 1 ? '1 remark' : `${remarks.length} remarks`), list);
  place.append(fold);
}

export function showTables(tables) {
  document.getElementById('tables').replaceChildren(...tables.filter((table) => !table.check).map(tableOf));
  const checks = tables.filter((table) => table.check);
  if (checks.length > 0) showChecks().append(...checks.map(tableOf));
}

/** The place of plots and tables of numerical noise, after all results. */
export function showChecks() {
  document.getElementById('checks').hidden = false;
  return document.getElementById('check-cards');
}

/** A table that is wider than its card takes the whole row. */
export function widenTables() {
  for (const card of document.querySelectorAll('[data-table]')) {
    card.classList.remove('wide');
    const scroll = card.querySelector('.scroll');
    card.classList.toggle('wide', scroll.scrollWidth > scroll.clientWidth + 1);
  }
}

function tableOf({ id, title, columns, numeric, rows, note }) {
  const section = make('section', undefined, { class: 'card', 'aria-label': title });
  section.dataset.table = id;
  const scroll = make('div', undefined, { class: 'scroll', tabindex: '0' });
  const element = make('table');
  const heads = make('tr');
  columns.forEach((column, i) => heads.append(make('th', column, { scope: 'col', ...(numeric[i] && { class: 'number' }) })));
  const head = make('thead');
  if (columns.some((column) => column !== '')) head.append(heads);
  const body = make('tbody');
  for (const row of rows) {
    const line = make('tr');
    row.forEach((cell, i) => line.append(i === 0 ? make('th', cell, { scope: 'row' }) : make('td', cell, numeric[i] ? { class: 'number' } : {})));
    body.append(line);
  }
  element.append(head, body);
  scroll.append(element);
  section.append(make('h3', title), scroll);
  if (note) section.append(make('p', note, { class: 'quiet' }));
  return section;
}
