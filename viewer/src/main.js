/** One page for two uses: the data in it say whether it is a report or a view of a robot file. */
import './style.css';
import { readData } from './data.js';
import { startReport } from './report.js';
import { startView } from './view.js';

try {
  const data = readData(document.getElementById('data').textContent);
  const viewing = data.format === 'gough-view';
  document.body.dataset.mode = viewing ? 'view' : 'report';
  if (viewing) startView();
  else startReport(data);
} catch (error) {
  const failure = document.getElementById('failure');
  failure.hidden = false;
  failure.textContent = `This report cannot be shown: ${error.message}.`;
  console.error(error);
}
