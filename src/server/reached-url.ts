// URL of a listener from this machine.
// Tested by test/cli-people.test.ts

/** `host`: the listen address; an address that means all interfaces becomes loopback. */
export function reachedUrl({
  host,
  port,
}: {
  readonly host: string
  readonly port: number
}): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`
}
