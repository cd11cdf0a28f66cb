// Falsehoods that do not depend on the method: replace one value anywhere in a reply by another one of any kind.
import { type Falsehood, pick, type Random } from './falsehood.ts'

const junk: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  '0x',
  '0x0',
  '0x00',
  '0xzz',
  '0x1',
  '-0x1',
  `0x${'f'.repeat(64)}`,
  `0x${'f'.repeat(66)}`,
  `0x${'ab'.repeat(100_000)}`,
  'latest',
  '\u0000',
  [],
  [[]],
  {},
  { length: 3 },
  ['0x80'],
  { toString: '0x1', valueOf: 1 },
]

type JsonMember = { readonly holder: Record<string, unknown>; readonly name: string }

/** Every member and element below, in no particular order. */
function membersIn(value: unknown, found: JsonMember[] = []): readonly JsonMember[] {
  if (typeof value !== 'object' || value === null) return found
  const holder = value as Record<string, unknown>
  for (const name of Object.keys(holder)) {
    found.push({ holder, name })
    membersIn(holder[name], found)
  }
  return found
}

function makeJunk(result: unknown, random: Random): unknown {
  if (result === null) return undefined
  const other = structuredClone(pick(random, junk))
  const member = pick(random, membersIn(result))
  if (member === undefined || random() < 0.1) return other === result ? undefined : other
  if (JSON.stringify(member.holder[member.name]) === JSON.stringify(other)) return undefined
  member.holder[member.name] = other
  return result
}

const methods = [
  'eth_getProof',
  'eth_getCode',
  'eth_getBlockByHash',
  'eth_getBlockReceipts',
  'eth_getTransactionByHash',
  'debug_getRawHeader',
  'debug_getRawBlock',
  'debug_getRawReceipts',
]

/** One per method, so that each method is falsified. */
export const junkFalsehoods: readonly Falsehood[] = methods.map((method) => ({
  subject: 'junk',
  name: `something else somewhere in ${method}`,
  nature: 'odd',
  methods: [method],
  falsify: ({ result, random }) => makeJunk(result, random),
}))
