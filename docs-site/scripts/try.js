// Sends the requests of the forms. A key stays in the fields of this page, and leaves to the origin of the page only.

const keys = document.querySelectorAll('[data-key]');

for (const field of keys) {
  field.addEventListener('input', () => {
    for (const other of keys) other.value = field.value;
  });
}

const fieldsIn = (form, place) =>
  [...form.querySelectorAll(`[data-in=${place}]`)].filter(({ value }) => value !== '');

function urlOf(form) {
  const path = fieldsIn(form, 'path').reduce(
    (rest, { dataset, value }) => rest.replace(`{${dataset.name}}`, encodeURIComponent(value)),
    form.dataset.path,
  );
  const query = new URLSearchParams(
    fieldsIn(form, 'query').map(({ dataset, value }) => [dataset.name, value]),
  );
  return `${location.origin}${path}${query.size > 0 ? `?${query}` : ''}`;
}

function requestOf(form) {
  const headers = Object.fromEntries(
    fieldsIn(form, 'header').map(({ dataset, value }) => [dataset.name, value]),
  );
  const key = form.querySelector('[data-key]')?.value.trim();
  if (key) headers.Authorization = `Bearer ${key}`;
  const body = form.querySelector('[data-body]')?.value;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  // No cookie goes along: the request is that of a program.
  return { method: form.dataset.method, headers, body, credentials: 'omit', redirect: 'manual' };
}

function readable(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function block(name, text) {
  const pre = document.createElement('pre');
  pre.tabIndex = 0;
  pre.className = name;
  pre.textContent = text;
  return pre;
}

async function send(form) {
  const output = form.querySelector('.output');
  const status = document.createElement('p');
  status.className = 'status';
  output.replaceChildren(status);
  status.textContent = 'Sending …';
  const begin = performance.now();
  try {
    const response = await fetch(urlOf(form), requestOf(form));
    const text = await response.text();
    const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    const durationMs = Math.round(performance.now() - begin);
    status.textContent = `${response.status} ${response.statusText} · ${durationMs} ms`;
    output.append(block('headers', headers), block('body', readable(text)));
  } catch (error) {
    status.textContent = `The request was not sent: ${error.message}`;
  }
}

for (const form of document.querySelectorAll('.try form')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}
