// Mail over SMTP, where the operator gave a server for it. The only importer of nodemailer.
// Tested by src/access/alerts/send-alerts.test.ts

type Mail = { readonly to: string; readonly subject: string; readonly text: string }

export type Mailer = {
  /** False: no server is set. */
  readonly canSend: () => boolean
  /** Resolves when the server has taken it. Throws what the server said. */
  send(mail: Mail): Promise<void>
}

const timeoutMs = 15_000

/** `url`: `smtp://` or `smtps://`, may hold a password; `from`: the sender. Both null: nothing is sent. */
export function createMailer(
  settings: () => {
    readonly url: string | null
    readonly from: string | null
  },
): Mailer {
  return {
    canSend() {
      const { url, from } = settings()
      return url !== null && from !== null
    },
    async send({ to, subject, text }) {
      const { url, from } = settings()
      if (url === null || from === null) throw new Error('no mail server is set')
      // Loaded with the first mail: a server starts sooner without it.
      const { createTransport } = await import('nodemailer')
      const transport = createTransport({
        url,
        connectionTimeout: timeoutMs,
        greetingTimeout: timeoutMs,
        socketTimeout: timeoutMs,
        disableFileAccess: true,
        disableUrlAccess: true,
      })
      try {
        await transport.sendMail({ from, to, subject, text })
      } finally {
        transport.close()
      }
    },
  }
}
