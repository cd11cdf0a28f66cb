// Methods that Cairn refuses on purpose: they need keys, a miner, a console or a persistent connection, which it lacks. The message
// names the alternative; an unknown method is `no_method`.
import { Fault, type FaultCode } from '../base/fault.ts'

export type RefusedMethods = {
  /** Wire names; one that ends in `*` is a prefix. */
  readonly names: readonly string[]
  readonly code: Extract<FaultCode, 'method_not_offered' | 'no_subscription'>
  /** The full message. */
  readonly sentence: string
}

export const refusedMethods: readonly RefusedMethods[] = [
  {
    names: ['eth_sendTransaction', 'personal_sendTransaction'],
    code: 'method_not_offered',
    sentence:
      'this server stores no private keys: sign in the client, then use eth_sendRawTransaction',
  },
  {
    names: ['eth_sign', 'eth_signTransaction', 'eth_signTypedData*', 'personal_*'],
    code: 'method_not_offered',
    sentence: 'this server stores no private keys: sign in the client',
  },
  {
    names: ['eth_getWork', 'eth_submitWork', 'eth_submitHashrate', 'eth_coinbase', 'miner_*'],
    code: 'method_not_offered',
    sentence: 'this server does not mine: eth_getBlockByNumber returns the miner of a block',
  },
  {
    names: ['engine_*'],
    code: 'method_not_offered',
    sentence: 'this server has no consensus client: send transactions with eth_sendRawTransaction',
  },
  {
    // Events need a persistent connection; filters serve the same purpose over HTTP.
    names: ['eth_subscribe', 'eth_unsubscribe'],
    code: 'no_subscription',
    sentence: 'notifications not supported',
  },
  {
    names: [
      'anvil_dumpState',
      'anvil_loadState',
      'anvil_setRpcUrl',
      'hardhat_dumpState',
      'hardhat_loadState',
      'hardhat_setRpcUrl',
    ],
    code: 'method_not_offered',
    sentence:
      'the embedded chain has no dump of its state (use evm_snapshot), and its settings name a forked network (fork)',
  },
  {
    names: ['admin_*'],
    code: 'method_not_offered',
    sentence: 'this server is administered with the cairn command, not over JSON-RPC',
  },
]

/** The refusal of a method in this table, or null. Ignores case, because some nodes do. */
export function findRefusal(method: string): Fault | null {
  const lowerCased = method.toLowerCase()
  const named = (name: string) =>
    name.endsWith('*')
      ? lowerCased.startsWith(name.slice(0, -1).toLowerCase())
      : lowerCased === name.toLowerCase()
  const group = refusedMethods.find(({ names }) => names.some(named))
  return group === undefined ? null : new Fault(group.code, { detail: group.sentence })
}
