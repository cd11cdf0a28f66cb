// Generates docs/reference/networks.md and proofs.md from the table of known networks and the declarations of methods.
// Tested by test/docs.test.ts
import type { Fork, KnownNetwork } from '../../src/base/known-network.ts'
import { networkTable } from '../../src/base/network-table.ts'
import { labelOn, type NetworkKind } from '../../src/rpc/relay/proof-by-network.ts'
import { servingPolicies } from '../../src/rpc/relay/relayed-methods.ts'
import type { ServingPolicy } from '../../src/rpc/relay/serving-policy.ts'
import { markdownTable, page } from './markdown.ts'

const families = { ethereum: 'Ethereum', op: 'OP Stack', nitro: 'Arbitrum', polygon: 'Polygon' }

export function networksPage(): string {
  return page(
    'Known networks',
    `\`cairn start --network <name>\` and \`CAIRN_NETWORKS_<NAME>_UPSTREAMS\` take the chain ID of these names and aliases. In the settings file,
each network needs its \`chainId\`. Cairn does not use an upstream of another chain; \`cairn doctor\` names it.`,
    markdownTable(
      ['Name', 'Aliases', 'Network', 'Chain ID', 'Kind', 'Block time', 'Lists proved from block'],
      networkTable.map((network) => [
        `\`${network.name}\``,
        network.aliases.map((alias) => `\`${alias}\``).join(', '),
        network.title,
        String(network.chainId),
        families[network.family],
        `${network.blockSeconds} s`,
        String(network.listsFrom),
      ]),
    ),
    `**Lists** are transactions, receipts and logs. Earlier blocks are those of Arbitrum's classic chain, of OP Mainnet before Bedrock, and of
Polygon before Madhugiri, when state-sync transactions were in no root. They are never labelled \`proof\`
([What is proved, and how](proofs.md)).`,
    '## Forks',
    `Block numbers, or seconds since 1970. Nothing in a block names them: they come from the registries of the chains, as of August 2026.
Networks whose EVM Cairn does not know have none.`,
    markdownTable(
      ['Network', 'Hash of block 0', 'Forks'],
      networkTable.map((network) => [network.title, hashCell(network), forksCell(network)]),
    ),
  )
}

function hashCell({ genesisHash }: KnownNetwork): string {
  return genesisHash === null ? 'requested from upstreams' : `\`${genesisHash}\``
}

function forksCell({ forks }: KnownNetwork): string {
  const placeOf = (fork: Fork) => ('time' in fork ? fork.time : fork.block)
  return forks.map((fork) => `${fork.name} ${placeOf(fork)}`).join(', ')
}

const kinds: readonly (readonly [kind: NetworkKind, title: string])[] = [
  ['ethereum', 'Ethereum'],
  ['op', 'OP Stack'],
  ['nitro', 'Arbitrum'],
  ['polygon', 'Polygon'],
  ['other', 'Other'],
]

export function proofsPage(): string {
  return page(
    'What is proved, and how',
    `The label of each method on networks behind upstreams, by the kind of the network ([Known networks](networks.md)), for a block whose
lists can be proved. [Verification](../explanation/verification.md) explains the checks, and
[Verification labels](verification-labels.md) the labels.`,
    markdownTable(
      ['Method', 'Checked against', ...kinds.map(([, title]) => title)],
      servedAs('prove').map(([name, policy]) => [
        `\`${name}\``,
        checkOf(policy),
        ...kinds.map(([kind]) => {
          const label = labelOn(policy, kind)
          return label === 'unproved' ? 'forwarded' : `\`${label}\``
        }),
      ]),
    ),
    `Forwarded on every network, and labelled \`quorum:k/n\`, \`trusted\` or \`none\`:
${servedAs('relay')
  .map(([name]) => `\`${name}\``)
  .join(
    ', ',
  )}. Methods in neither list are answered by Cairn itself, belong to the embedded chain, or are forwarded as possible writes.`,
    '## Conditions',
    `Calls are proved also on a network whose \`genesisFile\` is set. Calls of a fork that Cairn does not know, and calls over its limits, are
forwarded, or refused with \`require\` ([Calls](../explanation/verification.md#calls)). Such forks are Karst of the OP Stack, and Azul of
Base: calls of their blocks are forwarded.`,
    `Fees too are proved on a network whose \`genesisFile\` is set. Histories of more than 128 blocks, or 32 with percentiles, are forwarded
([Fees](../explanation/verification.md#fees)).`,
    markdownTable(
      ['Where', 'What is labelled `block` instead'],
      [
        [
          'OP Stack, deposits (`0x7e`) before Canyon',
          'the transaction and its receipt: `nonce` and `depositNonce` are in no root',
        ],
        [
          'OP Stack, receipts of other transactions',
          'those whose fee rule Cairn does not know: forks after Jovian that change it, Base from Azul on, chains without a row. Else Cairn computes `l1Fee`, `l1GasUsed`, `operatorFee…` and `daFootprintGasScalar` from the L1 attributes, the first transaction of the block',
        ],
        ['Arbitrum, receipts', 'all: `gasUsedForL1` and `timeboosted` are in no root'],
        [
          'Polygon',
          'blocks with state sync (`0x7f`) of upstreams without `debug_getRawBlock`: their JSON does not contain it whole. Needs `verify: prefer`',
        ],
        [
          'any network',
          'blocks with a type of transaction that Cairn does not know, with `verify: prefer`; `require` refuses them with `unprovable`. Receipts with blobs, without a blob schedule',
        ],
      ],
    ),
    `No hash commits to the rules by which Cairn computes fees. The verifier computes them if its reader names the network:
\`cairn verify bundle.json --block <hash> --network optimism\`.`,
  )
}

function checkOf(policy: ServingPolicy): string {
  if (policy.serve !== 'prove') return ''
  const { data, shows } = policy
  if (data === 'header') return 'block hash'
  if (data === 'state') return 'state root'
  if (data === 'call') return 'state root; the EVM runs here'
  if (data === 'simulation') return 'state root; the EVM runs here, and the roots are computed here'
  if (data === 'fees') return 'headers and lists of recent blocks; computed here'
  if (shows === 'receipts') return 'transactions root, receipts root'
  return 'roots in the header'
}

function servedAs(serve: ServingPolicy['serve']): readonly (readonly [string, ServingPolicy])[] {
  return [...servingPolicies]
    .filter(([, policy]) => policy.serve === serve)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
}
