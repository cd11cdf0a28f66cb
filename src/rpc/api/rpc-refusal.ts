// What a refusal echoes: the ids of the calls, in an array when a batch was sent. A
// client that sent a batch crashes on a single object; one that gets id null shows an empty message.
// Tested by src/rpc/api/rpc-api.test.ts
import type { Body } from '../../http/body.ts'
import type { Deadlines } from '../../http/deadlines.ts'
import { type Envelope, opensArray, parseEnvelope, scannedItemsMax } from './envelope.ts'
import type { HttpExchange } from '../../http/http-exchange.ts'
import { type RefusalForm, unknownForm } from './rpc-reply.ts'

const refusedBytesMax = 65_536
/** How long the body of a refused request may take. */
export const refusedMs = 2_000

/** Of an envelope: its ids. Of a body that was cut short: only whether it was a batch. */
export function formOf(read: Envelope | Body): RefusalForm {
  if ('bytes' in read) return { batch: opensArray(read.bytes), ids: ['null'] }
  return { batch: read.batch, ids: read.entries.flatMap(({ id }) => (id === null ? [] : [id])) }
}

/**
 * Reads at most 64 KiB of a refused request for its ids; `read`: that was all of it. A caller that holds its
 * body back keeps it.
 */
export async function readForm(
  exchange: HttpExchange,
  deadlines: Deadlines,
): Promise<{ readonly form: RefusalForm; readonly read: boolean }> {
  if (exchange.awaitsContinue) return { form: unknownForm, read: false }
  const body = await exchange.readBody(refusedBytesMax, deadlines)
  if (body.ending !== 'whole') return { form: formOf(body), read: false }
  try {
    return { form: formOf(parseEnvelope(body.bytes, scannedItemsMax)), read: true }
  } catch {
    return { form: unknownForm, read: true }
  }
}
