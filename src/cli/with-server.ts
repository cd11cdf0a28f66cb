// Runs work of a command with one HTTP client to a running server: Ctrl-C aborts it, and the client is closed afterwards.
// Tested by test/cli/add-get.test.ts
import { systemClock } from '../base/clock.ts'
import { createHttpClient, type HttpClient, HttpTrouble } from '../ipfs/sources/http-client.ts'
import type { Context } from './context.ts'
import { onInterrupt } from './on-interrupt.ts'
import { noAnswer, serverAccess, type ServerOptions } from './server-access.ts'

/** Maximum silence of the server: it replies to an upload when everything is on disk. */
export const silenceMs = 86_400_000

/**
 * Runs `work` with a client of the server that the options name. The first SIGINT or SIGTERM aborts `signal`, a second one ends the
 * process. Throws errors of `work`, an Error for a request without a reply, UsageError, ConfigError.
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
  // The client's sockets alone do not keep the process alive.
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
