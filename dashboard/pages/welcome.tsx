// Sign-up with an invitation link, also for the first operator. The token is in the fragment of the URL, which browsers do not
// send, so servers cannot log it.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/admin/client.ts'
import { call } from '../app/api.ts'
import { leaveToSignIn } from '../app/openid.ts'
import { Link, usePlace } from '../app/router.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { CenteredPage } from '../ui/centered-page.tsx'
import { Loading, Note, Problem } from '../ui/note.tsx'

type LinkInfo = AdminReply<'POST /welcome/look'>

export function Welcome({
  signedInAs,
  onEntered,
}: {
  /** Email of the signed-in person; null: signed out. */
  readonly signedInAs: string | null
  onEntered(): void
}) {
  const place = usePlace()
  const [link] = useState(() => location.hash.slice(1))
  const info = useLoaded((signal) => call('POST /welcome/look', { link }, signal), [link])
  const enter = (): void => {
    place.go(info.value?.isFirst === true ? '/setup' : '/', { replace: true })
    onEntered()
  }
  if (info.value === undefined) {
    return (
      <CenteredPage title="Welcome">
        {info.error === null ? (
          <Loading />
        ) : (
          <>
            {info.error.code === 'link_over' ? <LinkOver /> : <Problem error={info.error} />}
            <p>
              <Link to="/">{signedInAs === null ? 'Sign in' : 'Overview'}</Link>
            </p>
          </>
        )}
      </CenteredPage>
    )
  }
  const parts = { link, info: info.value, onEntered: enter }
  return signedInAs === null ? <SignUp {...parts} /> : <Accept {...parts} email={signedInAs} />
}

function LinkOver() {
  return (
    <Note tone="bad">
      <p>This link has already been used or has expired. Ask for a new invitation.</p>
      <p>
        Setting up the server? Run <code>cairn init --link</code> for a new link.
      </p>
    </Note>
  )
}

type Parts = { readonly link: string; readonly info: LinkInfo; onEntered(): void }

function SignUp({ link, info: { invitation, isFirst }, onEntered }: Parts) {
  const sending = useSending()
  const [email, setEmail] = useState(invitation.email ?? '')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const means = useLoaded((signal) => call('GET /session/means', {}, signal), [])
  const openId = means.value?.openId ?? null
  const passwords = means.value?.password ?? true
  return (
    <CenteredPage
      title={isFirst ? 'Welcome to Cairn' : 'You are invited'}
      about={
        isFirst
          ? 'Create the first operator, who administers this server. There is no default password.'
          : purpose(invitation)
      }
    >
      {openId !== null && (
        <button
          class={`button block${passwords ? '' : ' primary'}`}
          type="button"
          disabled={sending.busy}
          onClick={() => void sending.run(() => leaveToSignIn('/', link))}
        >
          Continue with {openId}
        </button>
      )}
      {!passwords && sending.error !== null && <Note tone="bad">{sending.error.message}</Note>}
      {passwords && (
        <Form
          sending={sending}
          action={isFirst ? 'Create operator' : 'Sign up'}
          fields={['email', 'name', 'password']}
          wide
          onSend={async () => {
            const sent = { link, email, name, password }
            await call('POST /welcome', sent)
            onEntered()
          }}
        >
          <TextField
            title="Email"
            hint={
              invitation.email === null
                ? 'You sign in with this address.'
                : 'The invitation is for this address only.'
            }
            type="email"
            autocomplete="username"
            disabled={invitation.email !== null}
            value={email}
            error={sending.of('email')}
            onValue={setEmail}
          />
          <TextField
            title="Name"
            autocomplete="name"
            maxLength={100}
            value={name}
            error={sending.of('name')}
            onValue={setName}
          />
          <TextField
            title="Password"
            hint="At least 10 characters. Length matters most."
            type="password"
            autocomplete="new-password"
            value={password}
            error={sending.of('password')}
            onValue={setPassword}
          />
        </Form>
      )}
    </CenteredPage>
  )
}

function Accept({ link, info, onEntered, email }: Parts & { readonly email: string }) {
  const sending = useSending()
  return (
    <CenteredPage title="You are invited" about={purpose(info.invitation)}>
      <Form
        sending={sending}
        action={`Accept as ${email}`}
        wide
        onSend={async () => {
          await call('POST /me/invitations', { link })
          onEntered()
        }}
      >
        <p>You are signed in. Accepting adds this account to yours.</p>
      </Form>
    </CenteredPage>
  )
}

function purpose({ role, accountName }: LinkInfo['invitation']): string {
  if (accountName === null) return 'You become an operator of this server.'
  return `You become ${role === 'member' ? 'a member' : `an ${role}`} of the account ${accountName}.`
}
