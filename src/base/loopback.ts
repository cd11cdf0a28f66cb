// Host names and addresses of this machine.
// Tested by src/base/loopback.test.ts

/** `host`: a name or an address without brackets. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host)
}
