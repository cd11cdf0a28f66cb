// Work of a command on a running server's API: one client, ended by Ctrl-C, closed in the end.
// Tested by test/cli/add-get.test.ts
import { systemClock } from '../base/clock.ts'
import { createHttpClient, type HttpClient, HttpTrouble } from '../ipfs/sources/http-client.ts'
import type { Context } from './context.ts'
import { onInterrupt } from './on-interrupt.ts'
import { noAnswer, serverAccess, type ServerOptions } from './server-access.ts'

/** How long the server may be silent: it answers an upload when all of it is on disk. */
export const silenceMs = 86_400_000

/**
 * Runs `work` with a client of the server that the options name. The first SIGINT or SIGTERM aborts `signal`, a second
 * one ends the process. Throws what `work` throws, an unanswered request as a sentence, UsageError, ConfigError.
 */
export async function withServer<Result>(
  context: Context,
  options: ServerOptions,
  connections: number,
  work: (client: HttpClient, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const server = await serverAccess(context, options)
  const client = createHttpClient({ ...server, connections, clock: systemClock })
  const interrupt = new AbortController()
  const stopListening = onInterrupt(() => interrupt.abort(new Error('interrupted')))
  // Sockets of the client alone do not keep the process.
  const stayAlive = new MessageChannel().port1
  stayAlive.ref()
  try {
    return await work(client, interrupt.signal)
  } catch (thrown) {
    if (!(thrown instanceof HttpTrouble)) throw thrown
    throw noAnswer(server.url, thrown)
  } finally {
    stopListening()
    stayAlive.close()
    await client.close()
  }
}
