// Password rules: a minimum length, and none of the most common passwords. No rule about kinds of characters (NIST SP 800-63B
// 5.1.1.2).
import { AccountsRefusal } from '../accounts/account-rules.ts'

const lengthMin = 10
const lengthMax = 256
const distinctMin = 5

/** Stems of the most common passwords in published leaks, without surrounding digits and signs. */
const commonStems: ReadonlySet<string> = new Set(
  `aaaa abcd abcdef abcdefg abcdefgh abcdefghij abcdefghijk access account adm admin administrator adminadmin alexander america
  angel apple asdf asdfasdf asdfg asdfgh asdfghj asdfghjk asdfghjkl asdfghjklqwertyuiop ashley azerty azertyuiop babygirl
  bailey baseball basketball batman buster butterfly cairn changeme changemenow charlie chelsea chocolate computer cookie
  corvette daniel default donald dragon dragonball elizabeth facebook family flower football forever freedom friend
  friends fuckyou ginger google guest hannah harley hello helloworld hockey hunter iloveu iloveyou infura internet jennifer
  jessica jordan justin killer letmein letmeinnow linkedin liverpool login loveme lovely love maggie manchester master
  matrix matthew merlin michael michelle midnight minecraft monkey mustang myspace mypassword nicole ninja nothing orange
  pass passpass passw passwd password passwordpassword pepper person pokemon princess purple qazwsx qazwsxedc qazwsxedcrfv
  qwaszx qwer qwerqwer qwert qwerty qwertyqwerty qwertyu qwertyui qwertyuio qwertyuiop qwertyuiopasdfghjkl root secret
  shadow snoopy soccer starwars summer sunshine superman superuser system temp temporary test testing testtest thomas
  tigger trustno twitter user username victoria welcome welcomehome whatever william winter wordpass yankees zaqwsx
  zxcv zxcvbn zxcvbnm`.split(/\s+/),
)
const digitRun = '01234567890123456789'
const leet: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
}

/** Normalises Unicode, so that all forms of a text are the same password (NIST SP 800-63B). */
export function normalizePassword(text: string): string {
  return text.normalize('NFKC')
}

/** Throws AccountsRefusal `bad_password`; its message never contains the password. */
export function checkNewPassword(text: string, email: string): void {
  const password = normalizePassword(text)
  const length = Array.from(password).length
  if (length < lengthMin || length > lengthMax) {
    throw refused(`a password has ${lengthMin} to ${lengthMax} characters`)
  }
  const lower = password.toLowerCase()
  if (lower === email || lower === email.split('@')[0]) {
    throw refused('a password is not the email address')
  }
  if (isCommon(lower)) {
    throw refused('this password is too common: choose another')
  }
}

function isCommon(lower: string): boolean {
  if (new Set(lower).size < distinctMin) return true
  if (digitRun.includes(lower) || digitRun.includes(Array.from(lower).toReversed().join('')))
    return true
  const core = trimmed(lower)
  const plain = core.replaceAll(/./gu, (character) => leet[character] ?? character)
  return [lower, core, plain].some((text) => commonStems.has(text.replaceAll(/[^a-z]/g, '')))
}

/** Removes non-letters at both ends. */
function trimmed(text: string): string {
  return text.replace(/^[^a-z]+/, '').replace(/[^a-z]+$/, '')
}

function refused(why: string): AccountsRefusal {
  return new AccountsRefusal('bad_password', why)
}
