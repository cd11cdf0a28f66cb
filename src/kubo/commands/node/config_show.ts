// `config/show`: the settings of this server and of the account, in the shape of the corresponding members of Kubo's configuration.
// Contains no secrets, and nothing of other accounts.
// Tested by src/kubo/commands/node/node-commands.test.ts
import type { ImportProfile } from '../../../codec/ipld/import-profile.ts'
import type { KuboCommand } from '../../kubo-command.ts'
import type { KuboNetwork } from '../../network-command.ts'
import { ownAddress, type OwnNode } from '../../replies/node-identity.ts'

type ConfigInput = { readonly address: string | null; readonly profile: ImportProfile }

export function createConfigShow(
  { peerId }: OwnNode,
  network: Pick<KuboNetwork, 'routingType'> | null,
): KuboCommand<ConfigInput> {
  return {
    name: 'config/show',
    class: 'read',
    argument: null,
    body: 'none',
    options: [],
    parse: ({ host }, profile) => ({ address: ownAddress(host), profile }),
    async run({ address, profile }, { caller }) {
      const quotas = [caller.settings.filesStoredBytes, caller.quotas.filesStoredBytes]
      const limits = quotas.filter((quota) => quota !== null)
      const { cidVersion, rawLeaves, chunkBytes, maxFileLinks, sharding } = profile
      const value = {
        Addresses: { API: address ?? '', Gateway: address ?? '', Swarm: [] },
        Bootstrap: [],
        Datastore: { StorageMax: limits.length === 0 ? '' : `${Math.min(...limits)}B` },
        Discovery: { MDNS: { Enabled: false } },
        Identity: { PeerID: peerId },
        Import: {
          CidVersion: cidVersion,
          HashFunction: 'sha2-256',
          UnixFSChunker: `size-${chunkBytes}`,
          UnixFSDirectoryMaxLinks: sharding.linksMax,
          UnixFSFileMaxLinks: maxFileLinks,
          UnixFSHAMTDirectoryMaxFanout: sharding.fanout,
          UnixFSHAMTDirectorySizeEstimation: sharding.estimate,
          UnixFSHAMTDirectorySizeThreshold: `${sharding.bytes}B`,
          UnixFSRawLeaves: rawLeaves,
        },
        Routing: { Type: network?.routingType() ?? 'none' },
      }
      return { kind: 'object', value, text: () => `${JSON.stringify(value, null, 2)}\n` }
    },
  }
}
