import type { Faults } from '../../people/faults.ts';
import type { BrowserSession } from '../session.ts';
import { type Html, html, type Insert } from './html.ts';

/** The hidden field that `checkCsrf` asks for. Belongs into every form. */
export function csrfField({ csrfToken }: Pick<BrowserSession, 'csrfToken'>): Html {
  return html`<input type="hidden" name="_csrf" value="${csrfToken}">`;
}

/** The hidden field that says where a form leads in the end. */
export function continueField(path: string): Html {
  return html`<input type="hidden" name="continue" value="${path}">`;
}

/** One labelled input. */
export interface Field {
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
export function faultSummary(faults: Faults): Html | undefined {
  const entries = Object.entries(faults);
  if (entries.length === 0) return undefined;
  const items = entries.map(([name, fault]) =>
    name === 'form' ? html`<li>${fault}</li>` : html`<li><a href="#${name}">${fault}</a></li>`,
  );
  return html`<div class="notice bad" role="alert" tabindex="-1" autofocus><ul>${items}</ul></div>`;
}
