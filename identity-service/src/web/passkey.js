// Runs after the bundle of @simplewebauthn/browser, which sets SimpleWebAuthnBrowser. Without passkeys in the browser the form
// stays hidden, and the page works as it does without script.
(() => {
  const { browserSupportsWebAuthn, browserSupportsWebAuthnAutofill, startAuthentication } =
    globalThis.SimpleWebAuthnBrowser;
  const form = document.querySelector('form[data-passkey-options]');
  if (form === null || form.dataset.origin !== location.origin || !browserSupportsWebAuthn()) return;

  const tooMany =
    'Too many attempts with passkeys from your network. Wait a quarter of an hour, or use another way.';
  const alert = form.querySelector('[role=alert]');

  async function ask(useBrowserAutofill) {
    const body = new URLSearchParams({ _csrf: form.elements._csrf.value });
    const response = await fetch(form.dataset.passkeyOptions, { method: 'POST', body });
    // The CSRF token is of an earlier session. Submitting the form shows that, or redirects.
    if (response.status === 403 && !useBrowserAutofill) return form.submit();
    if (response.status === 429) throw new Error(tooMany);
    if (!response.ok) throw new Error(`options: ${response.status}`);
    const { options } = await response.json();
    const credential = await startAuthentication({ optionsJSON: options, useBrowserAutofill });
    form.elements.credential.value = JSON.stringify(credential);
    form.submit();
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    alert.textContent = '';
    ask(false).catch(({ message }) => {
      alert.textContent =
        message === tooMany ? tooMany : 'No passkey was used. Try again, or use another way.';
    });
  });
  form.hidden = false;

  // A challenge lasts for five minutes. Requesting a new one ends the previous one.
  async function offerAutofill() {
    if (document.visibilityState !== 'visible') return;
    await ask(true).catch(() => undefined);
  }

  if (form.dataset.autofill === undefined) return;
  browserSupportsWebAuthnAutofill().then((isSupported) => {
    if (!isSupported) return;
    void offerAutofill();
    setInterval(offerAutofill, 240_000);
  });
})();
