// `id`: the identity of this server, for clients that query it first. It has no peers to look up; its
// address is the one of this request, since clients treat a node without addresses as offline.
// Tested by src/kubo/commands/node/node-commands.test.ts
import { Fault } from '../../../base/fault.ts'
import type { KuboCommand } from '../../kubo-command.ts'
import { ownAddress, type OwnNode } from '../../replies/node-identity.ts'

type IdInput = { readonly addresses: readonly string[] }

/** `cairnVersion`: of Cairn. */
export function createId(
  cairnVersion: string,
  { peerId, publicKey }: OwnNode,
): KuboCommand<IdInput> {
  return {
    name: 'id',
    class: 'read',
    argument: { name: 'peerid', required: false },
    body: 'none',
    options: [],
    parse({ args, host }) {
      if (args.length > 0 && args[0] !== peerId) {
        throw new Fault('unsupported_option', {
          detail: 'option "peerid" is not supported by this server',
        })
      }
      const address = ownAddress(host)
      return { addresses: address === null ? [] : [`${address}/p2p/${peerId}`] }
    },
    async run({ addresses }) {
      const value = {
        ID: peerId,
        PublicKey: publicKey,
        Addresses: addresses,
        AgentVersion: `cairn/${cairnVersion}`,
        Protocols: [],
      }
      return { kind: 'object', value, text: () => `${JSON.stringify(value, null, '\t')}\n` }
    },
  }
}
