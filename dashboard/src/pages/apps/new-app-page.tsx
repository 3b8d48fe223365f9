import { useState } from 'react';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { useApplications } from './applications.ts';
import { BackToApps } from './back-to-apps.tsx';
import { NewAppForm } from './new-app-form.tsx';
import { ObstacleNotice } from './obstacle-notice.tsx';

export default function NewAppPage() {
  const query = useApplications();
  // The app that is made here may be the last one there is room for: its secret is shown all the same.
  const [isSent, setSent] = useState(false);
  return (
    <>
      <PageHeader
        title="Register an app"
        description="You get a client ID and a client secret, with which your server takes part in OAuth 2.0."
        back={<BackToApps />}
      />
      <Loaded query={query}>
        {({ obstacle }) =>
          obstacle === null || isSent ? (
            <NewAppForm onSent={() => setSent(true)} />
          ) : (
            <ObstacleNotice obstacle={obstacle} />
          )
        }
      </Loaded>
    </>
  );
}
