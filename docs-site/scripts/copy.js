// A button that copies a block of code. Browsers have a clipboard under https and on this machine only.

const shownMs = 2_000;

function addButton(block) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, shownMs);
  });
  block.append(button);
}

if (navigator.clipboard !== undefined) document.querySelectorAll('.code').forEach(addButton);
