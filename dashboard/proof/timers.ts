// `setImmediate` of node:timers/promises, which code shared with the server awaits between time slices. Replaces that module in the
// dashboard.
// Tested by test/browser/call-proof.test.ts

/** Resolves after the thread has run other tasks. */
export function setImmediate(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(null)
  })
}
