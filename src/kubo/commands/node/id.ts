// `id`: the identity of this server, which clients query first: that of its peer if it uses the IPFS network, or of a known peer.
// If there are no addresses for peers, it states the address of this request, because clients treat a node without addresses as
// offline.
// Tested by src/kubo/commands/node/node-commands.test.ts
import { Fault, hasCode } from '../../../base/fault.ts'
import type { KuboCommand } from '../../kubo-command.ts'
import type { KuboNetwork } from '../../network-command.ts'
import { ownAddress, type OwnNode } from '../../replies/node-identity.ts'

type IdInput = { readonly requested: string | undefined; readonly address: string | null }

type Identity = {
  readonly ID: string
  readonly PublicKey: string
  readonly Addresses: readonly string[]
  readonly AgentVersion: string
  readonly Protocols: readonly string[]
}

/** `cairnVersion`: version of Cairn. */
export function createId(
  cairnVersion: string,
  { peerId, publicKey }: OwnNode,
  network: KuboNetwork | null,
): KuboCommand<IdInput> {
  const self: Identity = {
    ID: peerId,
    PublicKey: publicKey,
    Addresses: [],
    AgentVersion: `cairn/${cairnVersion}`,
    Protocols: [],
  }
  return {
    name: 'id',
    class: 'read',
    argument: { name: 'peerid', required: false },
    body: 'none',
    options: [],
    parse: ({ args, host }) => ({ requested: args[0], address: ownAddress(host) }),
    async run({ requested, address }, { signal }) {
      const found = await peerOf(network, requested, signal)
      const identity = found ?? self
      if (found === null && requested !== undefined && requested !== self.ID) {
        throw new Fault('unsupported_option', {
          detail: 'option "peerid" is not supported by this server',
        })
      }
      const isListening =
        identity.Addresses.length > 0 || address === null || requested !== undefined
      const requestAddress = `${address}/p2p/${identity.ID}`
      const value = isListening ? identity : { ...identity, Addresses: [requestAddress] }
      return { kind: 'object', value, text: () => `${JSON.stringify(value, null, '\t')}\n` }
    },
  }
}

/** Null: there is no network, or its process is starting. */
async function peerOf(
  network: KuboNetwork | null,
  requested: string | undefined,
  signal: AbortSignal,
): Promise<Identity | null> {
  if (network === null) return null
  try {
    const command = { name: 'id', ...(requested === undefined ? {} : { arg: requested }) } as const
    const [identity] = await Array.fromAsync(network.command(command, signal))
    return identity as Identity
  } catch (thrown) {
    if (hasCode(thrown, 'no_upstream')) return null
    throw thrown
  }
}
