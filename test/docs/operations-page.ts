// Generates docs/reference/methods.md and ipfs-commands.md from the operation tables.
// Tested by test/docs.test.ts
import { systemClock } from '../../src/base/clock.ts'
import { faults } from '../../src/base/fault.ts'
import { listRpcMethods } from '../../src/rpc/methods/index.ts'
import { refusedMethods } from '../../src/rpc/refused-methods.ts'
import { createKuboCommands } from '../../src/kubo/commands/index.ts'
import type { CommandOption } from '../../src/kubo/kubo-command.ts'
import { globalOptions } from '../../src/kubo/kubo-commands.ts'
import { noNames } from '../fakes/files/test-names.ts'
import { markdownTable, page } from './markdown.ts'
import { noRemotePins } from '../fakes/files/no-remote-pins.ts'

export function rpcOperationRows(): readonly (readonly string[])[] {
  return listRpcMethods().map(({ name, units, bundle }) => [
    `\`${name}\``,
    `${units}`,
    bundle === undefined ? '' : `\`${bundle.as ?? name}\``,
  ])
}

export function refusedRows(): readonly (readonly string[])[] {
  return refusedMethods.map(({ names, code, sentence }) => [
    names.map((name) => `\`${name}\``).join(', '),
    String(faults[code].rpc),
    sentence,
  ])
}

export function fileCommandRows(): readonly (readonly string[])[] {
  const commands = createKuboCommands({
    clock: systemClock,
    version: '',
    publicKey: new Uint8Array(32),
    remotePins: noRemotePins,
    ipns: noNames,
    network: null,
  })
  return [...commands.values()].map(({ name, argument, second, file, body, options }) => [
    `\`${name}\``,
    argument === null
      ? ''
      : `${argument.name}${argument.required ? '' : ' (optional)'}${[second, file].map((name) => (name === undefined ? '' : `, ${name}`)).join('')}`,
    { none: 'none', lines: 'arguments as lines', entries: 'files and folders' }[body],
    listOptions(options),
  ])
}

export function methodsPage(): string {
  return page(
    'JSON-RPC methods',
    `Clients send these methods to \`POST /v3/<API_KEY>\`. Cairn charges the units before the call runs; a batch costs the units of its
calls and one more. Any other method returns -32601.

**Bundle**: with \`?proof=1\`, the reply contains a proof bundle, in which the method has this name
([Verification labels and proof bundles](verification-labels.md#request-a-bundle)).`,
    markdownTable(['Method', 'Units', 'Bundle'], rpcOperationRows()),
    '## Subscriptions',
    `\`/ws/v3/<API_KEY>\` takes the same methods over WebSocket, and also \`eth_subscribe\` and \`eth_unsubscribe\`. Each event costs units:`,
    markdownTable(
      ['Subscription', 'Units'],
      [
        ['`newHeads`', '50 for each head'],
        ['`logs`', '300 for each block'],
        ['`newPendingTransactions`', '200 for all transactions of 700 ms'],
      ],
    ),
    '## Refused methods',
    'Cairn refuses these methods with their own message.',
    markdownTable(['Method', 'Code', 'Message'], refusedRows()),
  )
}

export function ipfsCommandsPage(): string {
  return page(
    'IPFS commands',
    `Clients send these commands to \`POST /api/v0/<command>\`, with arguments as \`arg=\` in the query. Every command also takes the options
${listOptions(Object.values(globalOptions))}. Cairn ignores options that have no effect here. Other commands of Kubo return 403,
\`ipfs method not supported\`.`,
    markdownTable(['Command', 'Argument', 'Body', 'Options'], fileCommandRows()),
  )
}

function listOptions(options: readonly CommandOption[]): string {
  return options.map(({ name }) => `\`${name}\``).join(', ')
}
