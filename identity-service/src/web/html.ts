import type { FieldErrors } from '../platform/text.ts';
import type { BrowserSession } from './sessions/browser-session.ts';

const markup = Symbol('markup');

/** Escaped markup. Only this module creates it, so that input is never mistaken for markup. */
export interface Html {
  readonly [markup]: string;
}

/** A value in a template: text is escaped, markup stays, lists are joined, `false` and undefined are empty. */
type Insert = string | number | Html | false | undefined | readonly Insert[];

/** Markup from a template. Escapes every inserted value but Html. Values of attributes need double quotes. */
export function html(parts: TemplateStringsArray, ...inserts: readonly Insert[]): Html {
  let text = parts[0] ?? '';
  for (const [index, insert] of inserts.entries()) {
    text += show(insert) + (parts[index + 1] ?? '');
  }
  return { [markup]: text };
}

/** The markup as a string. */
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

/** The hidden field that `checkCsrf` requires in every form. */
export function csrfField({ csrfToken }: Pick<BrowserSession, 'csrfToken'>): Html {
  return html`<input type="hidden" name="_csrf" value="${csrfToken}">`;
}

/** The hidden field with the path to continue at after a form. */
export function continueField(path: string): Html {
  return html`<input type="hidden" name="continue" value="${path}">`;
}

/** One labelled input. */
interface Field {
  readonly name: string;
  readonly label: string;
  /** Previous input; never for passwords. */
  readonly value?: string | undefined;
  /** Validation error. */
  readonly error?: string | undefined;
  /** Help text. */
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

/** Validation errors with links to their fields, read out first; `form` is the key of the whole form. */
export function errorSummary(errors: FieldErrors): Html | undefined {
  const entries = Object.entries(errors);
  if (entries.length === 0) return undefined;
  const items = entries.map(([name, error]) =>
    name === 'form' ? html`<li>${error}</li>` : html`<li><a href="#${name}">${error}</a></li>`,
  );
  return html`<div class="notice bad" role="alert" tabindex="-1" autofocus><ul>${items}</ul></div>`;
}
