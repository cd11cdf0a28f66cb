// docs/reference/methods.md, from the operation tables.
// Tested by test/docs.test.ts
import { systemClock } from '../../src/base/clock.ts'
import { faults } from '../../src/base/fault.ts'
import { createSenderCache } from '../../src/ethereum/sender-cache.ts'
import { createRpcOperations } from '../../src/gateway/operations/index.ts'
import { refusedMethods } from '../../src/gateway/refused-methods.ts'
import { commands, globalOptions } from '../../src/http/commands.ts'
import type { CommandOption } from '../../src/http/commands.ts'
import { markdownTable, page } from './markdown.ts'

export function rpcOperationRows(): readonly (readonly string[])[] {
  return [
    ...createRpcOperations({
      clientVersion: '',
      clock: systemClock,
      findSender: createSenderCache(1_000).find,
    }).values(),
  ]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(({ name, units, bundle }) => [
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
  return [...commands].map(([name, { argument, second, body, options }]) => [
    `\`${name}\``,
    argument === null
      ? ''
      : `${argument.name}${argument.required ? '' : ' (optional)'}${second === undefined ? '' : `, ${second}`}`,
    { none: 'none', lines: 'arguments as lines', entries: 'files and folders' }[body],
    listOptions(options),
  ])
}

export function operationsPage(): string {
  return page(
    'Operations',
    'What Cairn does, by the name on the wire.',
    '## JSON-RPC methods',
    `\`POST /v3/<API_KEY>\`. Units are charged before the work; a batch costs its calls and one more. Any other method is
answered -32601. Those below are refused in words of their own. \`/ws/v3/<API_KEY>\` takes the same over WebSocket, and there
\`eth_subscribe\` and \`eth_unsubscribe\` too; each event has its price: 50 for a head, 300 for each block of a subscription to
logs, 200 for what became pending within 700 ms. Bundle: with \`?proof=1\` the answer brings what proves it, under that name
([proof bundles](../guides/verify-an-answer.md)).`,
    markdownTable(['Method', 'Units', 'Bundle'], rpcOperationRows()),
    markdownTable(['Refused', 'Code', 'Message'], refusedRows()),
    '## File commands',
    `\`POST /api/v0/<command>\` with \`arg=\` for arguments. Every command also takes ${listOptions(globalOptions)}. Options that
change nothing here are ignored; the rest of Kubo's commands are answered 403.`,
    markdownTable(['Command', 'Argument', 'Body', 'Options'], fileCommandRows()),
  )
}

function listOptions(options: readonly CommandOption[]): string {
  return options.map(({ name }) => `\`${name}\``).join(', ')
}
