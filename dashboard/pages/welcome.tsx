// Coming in by a link: the first operator, and everybody who was invited. What opens stands behind the `#`, which no
// browser sends and no server logs.
import { useState } from 'preact/hooks'
import type { AdminReply } from '../../src/gateway/admin/client.ts'
import { call } from '../app/api.ts'
import { Link, usePlace } from '../app/router.tsx'
import { useLoaded } from '../app/use-loaded.ts'
import { TextField } from '../ui/field.tsx'
import { Form, useSending } from '../ui/form.tsx'
import { Lone } from '../ui/lone.tsx'
import { Loading, Problem } from '../ui/note.tsx'

type Looked = AdminReply<'POST /welcome/look'>

export function Welcome({
  signedInAs,
  onEntered,
}: {
  /** Email of who is signed in already; null: nobody. */
  readonly signedInAs: string | null
  onEntered(): void
}) {
  const place = usePlace()
  const [link] = useState(() => location.hash.slice(1))
  const looked = useLoaded((signal) => call('POST /welcome/look', { link }, signal), [link])
  const enter = (): void => {
    place.go('/', { replace: true })
    onEntered()
  }
  if (looked.value === undefined) {
    return (
      <Lone title="Welcome">
        {looked.error === null ? (
          <Loading />
        ) : (
          <>
            <Problem error={looked.error} />
            <p>
              <Link to="/">{signedInAs === null ? 'Sign in' : 'To the start page'}</Link>
            </p>
          </>
        )}
      </Lone>
    )
  }
  const parts = { link, looked: looked.value, onEntered: enter }
  return signedInAs === null ? <AsNew {...parts} /> : <AsKnown {...parts} email={signedInAs} />
}

type Parts = { readonly link: string; readonly looked: Looked; onEntered(): void }

function AsNew({ link, looked: { invitation, isFirst }, onEntered }: Parts) {
  const sending = useSending()
  const [email, setEmail] = useState(invitation.email ?? '')
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  return (
    <Lone
      title={isFirst ? 'Welcome to Cairn' : 'You are invited'}
      about={
        isFirst
          ? 'Make the first operator: whoever looks after this server. There is no password but the one you choose.'
          : purpose(invitation)
      }
    >
      <Form
        sending={sending}
        action="Come in"
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
            invitation.email === null ? 'You sign in with it.' : 'The invitation is for this one.'
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
          hint="10 characters or more. Long is what counts."
          type="password"
          autocomplete="new-password"
          value={password}
          error={sending.of('password')}
          onValue={setPassword}
        />
      </Form>
    </Lone>
  )
}

function AsKnown({ link, looked, onEntered, email }: Parts & { readonly email: string }) {
  const sending = useSending()
  return (
    <Lone title="You are invited" about={purpose(looked.invitation)}>
      <Form
        sending={sending}
        action={`Take it as ${email}`}
        wide
        onSend={async () => {
          await call('POST /me/invitations', { link })
          onEntered()
        }}
      >
        <p>You are signed in; this account is added to those you have.</p>
      </Form>
    </Lone>
  )
}

function purpose({ role, accountName }: Looked['invitation']): string {
  if (accountName === null) return 'As an operator of this server.'
  return `As ${role === 'member' ? 'a member' : `an ${role}`} of the account ${accountName}.`
}
