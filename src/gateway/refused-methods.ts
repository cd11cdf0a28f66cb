// Methods that are refused on purpose: they need keys, a miner or a console that are not here. The sentence
// says what to do instead; a method that is merely unknown is `no_method`.
import { Fault } from '../base/fault.ts'

export type RefusedMethods = {
  /** Wire names; one that ends in `*` is a prefix. */
  readonly names: readonly string[]
  /** The exact message. */
  readonly sentence: string
}

export const refusedMethods: readonly RefusedMethods[] = [
  {
    names: ['eth_sendTransaction', 'personal_sendTransaction'],
    sentence: 'this server holds no keys: sign in the client and send with eth_sendRawTransaction',
  },
  {
    names: ['eth_sign', 'eth_signTransaction', 'eth_signTypedData*', 'personal_*'],
    sentence: 'this server holds no keys: sign in the client',
  },
  {
    names: ['eth_getWork', 'eth_submitWork', 'eth_submitHashrate', 'eth_coinbase', 'miner_*'],
    sentence: 'this server does not mine: a block names its miner in eth_getBlockByNumber',
  },
  {
    names: ['engine_*'],
    sentence: 'this server is not driven by a consensus client: send with eth_sendRawTransaction',
  },
  {
    names: ['admin_*'],
    sentence: 'this server is administered with the cairn command, not over JSON-RPC',
  },
]

/** The answer to a method of the table above, else null. */
export function findRefusal(method: string): Fault | null {
  const named = (name: string) =>
    name.endsWith('*') ? method.startsWith(name.slice(0, -1)) : method === name
  const group = refusedMethods.find(({ names }) => names.some(named))
  return group === undefined ? null : new Fault('method_not_offered', { detail: group.sentence })
}
