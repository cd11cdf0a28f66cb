// Parses the entries of an allowlist as an owner writes them. Refuses entries that cannot match any request.
// Tested by src/access/accounts/allowlists.test.ts
import { parseIpRule } from '../../base/ip-list.ts'
import { parseOriginRule } from './allowed-origin.ts'
import { AccountsRefusal } from './accounts-refusal.ts'

const entriesMax = 30
const entryCharsMax = 256

type Form = { readonly isGood: (entry: string) => boolean; readonly expected: string }

export const allowlistForms = {
  allowAddresses: {
    isGood: (entry) => /^0x[0-9a-fA-F]{40}$/.test(entry),
    expected: 'a contract address, 0x and 40 hex digits',
  },
  allowMethods: {
    isGood: (entry) => /^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/.test(entry),
    expected: 'a method (eth_call) or a file command (pin/add)',
  },
  allowOrigins: {
    isGood: (entry) => parseOriginRule(entry) !== null,
    expected: 'an origin such as https://app.example.com, *.example.com or localhost:3000',
  },
  allowUserAgents: {
    // Of the characters that a header can carry.
    isGood: (entry) => /^[\x20-\x7e]+$/.test(entry) && entry.trim() !== '',
    expected: 'a part of a user agent, in ASCII',
  },
  allowIps: {
    isGood: (entry) => parseIpRule(entry) !== null,
    expected: 'an IP address or a block such as 192.0.2.0/24',
  },
  jwtAudiences: {
    isGood: (entry) => /^[\x21-\x7e]+$/.test(entry),
    expected: 'an audience such as app.example.com, in ASCII without spaces',
  },
} as const satisfies Readonly<Record<string, Form>>

/** At most 30 entries of at most 256 characters. Throws AccountsRefusal `bad_setting`. */
export function parseAllowlist(
  name: keyof typeof allowlistForms,
  value: unknown,
): readonly string[] {
  if (!Array.isArray(value) || value.length > entriesMax) {
    throw refusal(`settings.${name}`, `${name} must be a list of at most ${entriesMax} entries`)
  }
  const { isGood, expected } = allowlistForms[name]
  return value.map((entry: unknown, at) => {
    if (typeof entry === 'string' && entry.length <= entryCharsMax && isGood(entry)) return entry
    const shown = JSON.stringify(String(entry).slice(0, 80))
    throw refusal(
      `settings.${name}.${at}`,
      `${name}: ${shown} is not ${expected}, in at most ${entryCharsMax} characters`,
    )
  })
}

function refusal(field: string, message: string): AccountsRefusal {
  return new AccountsRefusal('bad_setting', message, { field })
}
