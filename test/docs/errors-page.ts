// docs/reference/errors.md, from the fault table.
// Tested by test/docs.test.ts
import { faults } from '../../src/base/fault.ts'
import type { FaultRow } from '../../src/base/fault.ts'
import { markdownTable, page } from './markdown.ts'

export function errorsPage(): string {
  const rows = Object.entries(faults).map(([code, row]: [string, FaultRow]) => [
    `\`${code}\``,
    `${row.status}`,
    `${row.rpc}`,
    row.message,
    row.retry,
    row.bare === true ? 'no' : 'yes',
    `${row.files?.status ?? row.status}`,
    row.files?.text === true ? 'plain text' : `${row.kubo}`,
    row.files?.message ?? (row.files?.text === true ? row.message : 'the same'),
    `${row.paths ?? row.files?.status ?? row.status}`,
  ])
  const headings = ['Code', 'HTTP', 'JSON-RPC', 'Message', 'Retry', 'Data']
  return page(
    'Errors',
    `Every answer that Cairn chooses to give instead of a result. The message is the usual one; most carry a more exact
text that names the value. On the JSON-RPC face an error has \`code\`, \`message\` and, where the column says so, \`data\`
with \`code\` (the word in the first column) and more; on the file face the body is \`{"Message","Code","Type":"error"}\`
or plain text; for readers of \`/ipfs/<cid>\` it is the message as plain text. Retry by the words, never by the numbers: \`later\` soon and again, \`tomorrow\` after 00:00 UTC, \`never\`
not without a change.`,
    markdownTable(
      [...headings, 'Files: HTTP', 'Files: Code', 'Files: message', 'Paths: HTTP'],
      rows,
    ),
  )
}
