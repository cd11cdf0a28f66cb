// Format variants of nodes: which of two names a member has, leading zeros, upper case.
import type { StubKnobs } from './stub-knobs.ts'

const integers = new Set([
  'gas',
  'gasPrice',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'maxFeePerBlobGas',
  'nonce',
  'value',
  'r',
  's',
  'cumulativeGasUsed',
  'gasUsed',
  'balance',
  'gasLimit',
  'timestamp',
  'baseFeePerGas',
  'difficulty',
])
const hashes = new Set(['blockHash', 'parentHash', 'stateRoot', 'storageHash', 'codeHash'])

/** The same reply in the format that the knobs select. */
export function spell(value: unknown, spelling: StubKnobs['spelling']): unknown {
  if (Array.isArray(value)) return value.map((item) => spell(item, spelling))
  if (typeof value !== 'object' || value === null) return value
  const spelled: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) {
    spelled[name] = spelling.padded ? pad(name, member) : member
    if (typeof member === 'object') spelled[name] = spell(member, spelling)
  }
  if ('input' in spelled && 'transactionIndex' in spelled) {
    if (spelling.input !== 'input') spelled['data'] = spelled['input']
    if (spelling.input === 'data') delete spelled['input']
    if (spelling.parity === 'v') delete spelled['yParity']
    if (spelling.parity === 'yParity' && spelled['type'] !== '0x0') delete spelled['v']
  }
  return spelled
}

function pad(name: string, member: unknown): unknown {
  if (typeof member !== 'string') return member
  // A header's nonce is 8 bytes of data, not an integer.
  if (integers.has(name) && member.length !== 18) return `0x00${member.slice(2)}`
  return hashes.has(name) ? `0x${member.slice(2).toUpperCase()}` : member
}
