import { describe, expect, test } from '@jest/globals';
import { isEmailAddress } from './email-address.ts';

describe('an email address', () => {
  test.each([
    'ada@example.com',
    "o'neil+a_b/c=d@mail.example.co.uk",
    'Ada.Lovelace@EXAMPLE.com',
    'schäfer2@example.de',
    'user@exämple.de',
    'user@xn--exmple-cua.de',
    'пример@пример.рф',
    '用户@例子.公司',
    'उदाहरण@उदाहरण.भारत',
    'ada@l·l.cat',
    'straße@faß.de',
    `${'a'.repeat(64)}@example.com`,
  ])('is %j', (text) => {
    expect(isEmailAddress(text)).toBe(true);
  });
});

describe('no email address', () => {
  test.each([
    ['without a domain', 'ada'],
    ['without a domain behind the @', 'ada@'],
    ['without a local part', '@example.com'],
    ['with two @', 'a@b@example.com'],
    ['with a character that is an @ once normalized', 'a\uff20b@example.com'],
    ['with a domain of one label', 'ada@localhost'],
    ['with a domain of one label beyond ASCII', 'ada@пример'],
    ['with an address for a domain', 'ada@127.0.0.1'],
    ['with a number for a domain', 'ada@1.2'],
    ['with an address in brackets', 'ada@[127.0.0.1]'],
    ['with a port', 'ada@example.com:25'],
    ['with a path', 'ada@example.com/x'],
    ['with an escape in the domain', 'ada@ex%61mple.com'],
    ['with an underscore in the domain', 'ada@ex_ample.com'],
    ['with a hyphen at the end of a label', 'ada@example-.com'],
    ['with an empty label', 'ada@example..com'],
    ['with a dot at the end', 'ada@example.com.'],
    ['with an ideographic full stop', 'ada@例え。jp'],
    ['with a label that is no IDNA', 'ada@\u0301example.de'],
    ['with a domain that is too long', `ada@${'a.'.repeat(126)}example`],
    ['with a local part of more than 64 octets', `${'ä'.repeat(33)}@example.com`],
    ['with two dots', 'a..b@example.com'],
    ['with a dot at the beginning', '.ada@example.com'],
    ['with a quoted local part', '"ada b"@example.com'],
    ['with angle brackets', '<ada@example.com>'],
    ['with a comma', 'ada,bob@example.com'],
    ['with a line break', 'ada@example.com\nBcc:bob@example.com'],
    ['with a line break in the local part', 'ada\r\n@example.com'],
    ['with a control character', 'ad\u0000a@example.com'],
    ['with a C1 control character', 'ad\u0085a@example.com'],
    ['with a bidirectional override', 'ada\u202emoc@example.com'],
    ['with a bidirectional isolate in the domain', 'ada@exa\u2066mple.com'],
    ['with a zero-width space', 'ada\u200b@example.com'],
    ['with a soft hyphen in the domain', 'ada@exam\u00adple.com'],
    ['with a blank', 'ada lovelace@example.com'],
    ['with a no-break space', 'ada\u00a0b@example.com'],
    ['with an ideographic space', '用\u3000户@example.com'],
    ['with half of a surrogate pair', 'a\ud83c@example.com'],
  ])('%s', (_, text) => {
    expect(isEmailAddress(text)).toBe(false);
  });
});
