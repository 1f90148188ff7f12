/** What the page asks `gough view`. Failures are thrown; `status` says what the server thought of it. */

async function answered(response) {
  const data = await response.json();
  if (response.ok) return data;
  throw Object.assign(new Error(data.error ?? response.statusText), { status: response.status });
}

export const askRobot = async () => answered(await fetch('robot'));

/** Answers when the file was read again, or after some seconds. */
export const askChange = async (known) => answered(await fetch(`changes?after=${known}`));

export const askMove = async (request) =>
  answered(await fetch('move', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(request) }));
