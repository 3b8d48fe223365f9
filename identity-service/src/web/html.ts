import type { FieldErrors } from '../platform/text.ts';
import type { BrowserSession } from '../sessions/browser-session.ts';

const markup = Symbol('markup');

/** Text that is safe in a page: made here only, so that no input can pass for it. */
export interface Html {
  readonly [markup]: string;
}

/** What may stand in a template: text is escaped, markup stays, lists are joined, `false` and absent show nothing. */
type Insert = string | number | Html | false | undefined | readonly Insert[];

/**
 * A piece of a page. Everything that is inserted is escaped, unless it is such a piece itself. Values of attributes stand
 * in double quotes.
 */
export function html(parts: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  let text = parts[0] ?? '';
  for (const [index, insert] of inserts.entries()) {
    text += show(insert) + (parts[index + 1] ?? '');
  }
  return { [markup]: text };
}

/** The markup, to be sent. */
export function textOf(piece: Html): string {
  return piece[markup];
}

function show(insert: Insert): string {
  if (insert === undefined || insert === false) return '';
  if (typeof insert === 'number') return String(insert);
  if (typeof insert === 'string') return escapeText(insert);
  return isMarkup(insert) ? insert[markup] : insert.map(show).join('');
}

const isMarkup = (insert: Html | readonly Insert[]): insert is Html => markup in insert;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** The hidden field that `checkCsrf` asks for. Belongs into every form. */
export function csrfField({ csrfToken }: Pick<BrowserSession, 'csrfToken'>): Html {
  return html`<input type="hidden" name="_csrf" value="${csrfToken}">`;
}

/** The hidden field that says where a form leads in the end. */
export function continueField(path: string): Html {
  return html`<input type="hidden" name="continue" value="${path}">`;
}

/** One labelled input. */
interface Field {
  readonly name: string;
  readonly label: string;
  /** What was typed before; never for passwords. */
  readonly value?: string | undefined;
  /** What is wrong with it. */
  readonly error?: string | undefined;
  /** What helps to fill it in. */
  readonly hint?: Insert;
  readonly type?: 'text' | 'email' | 'password';
  readonly autocomplete: string;
  readonly inputmode?: 'numeric';
  readonly required?: false;
  readonly focus?: boolean;
}

/** A field with its label, hint and error, joined for screen readers. */
export function fieldHtml(field: Field): Html {
  const { name, label, value, error, hint, type = 'text', autocomplete, inputmode } = field;
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ');
  return html`<div class="field${error && ' wrong'}">
  <label for="${name}">${label}</label>
  ${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}
  ${error && html`<p class="error" id="${name}-error">${error}</p>`}
  <input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" maxlength="400"
    ${value && html`value="${value}"`} ${inputmode && html`inputmode="${inputmode}"`}
    ${described && html`aria-describedby="${described}"`} ${error && html`aria-invalid="true"`}
    ${field.required !== false && html`required`} ${field.focus === true && html`autofocus`}
    ${type !== 'text' && html`autocapitalize="none" spellcheck="false"`}>
</div>`;
}

/** All faults, each leading to its field; the key `form` is about the whole. Read out first; nothing without a fault. */
export function errorSummary(faults: FieldErrors): Html | undefined {
  const entries = Object.entries(faults);
  if (entries.length === 0) return undefined;
  const items = entries.map(([name, fault]) =>
    name === 'form' ? html`<li>${fault}</li>` : html`<li><a href="#${name}">${fault}</a></li>`,
  );
  return html`<div class="notice bad" role="alert" tabindex="-1" autofocus><ul>${items}</ul></div>`;
}
