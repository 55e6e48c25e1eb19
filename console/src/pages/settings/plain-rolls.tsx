import { Switch } from '@mantine/core';
import type { Schemas } from '../../api/client.ts';
import { useChange, usePermissions, useTeam } from '../../api/requests.ts';
import { confirmLoss } from '../../parts/confirm.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Section } from '../../parts/section.tsx';
import { Note, ServiceLink } from '../../parts/text.tsx';

const PlainSwitch = ({ verifiableRolls }: Schemas['Team']) => {
  const { canAdminister } = usePermissions();
  const change = useChange({
    run: (api, body: Schemas['TeamChange']) => api.team.update(body),
    done: (team) => `Plain rolls are ${team.verifiableRolls ? 'verifiable from now on' : 'no longer verifiable'}`,
    failed: 'Could not change this',
  });
  const toggle = (wanted: boolean) => {
    if (!wanted) return change.mutate({ verifiableRolls: false });
    confirmLoss({
      title: 'Make plain rolls verifiable?',
      text: 'From then on, plain rolls for a player are rejected until the player has chosen a client seed. Make sure that your game lets players choose one.',
      action: 'Make them verifiable',
      keep: 'Leave it',
      run: () => change.mutate({ verifiableRolls: true }),
    });
  };
  return (
    <Switch
      label="Verifiable plain rolls"
      description="Every plain roll for a player leaves a receipt that lets the player check it. Rolls without a player stay as they are."
      checked={verifiableRolls}
      disabled={!canAdminister || change.isPending}
      onChange={(event) => toggle(event.currentTarget.checked)}
    />
  );
};

/** Plain rolls belong to no template, so the team decides. */
export const PlainRolls = () => {
  const { canAdminister } = usePermissions();
  return (
    <Section title="Fairness">
      <Loaded query={useTeam()} lines={1}>
        {(team) => <PlainSwitch {...team} />}
      </Loaded>
      <Note>
        {!canAdminister && 'Only an admin secret can change this. '}Templates have a switch of their own. Players check
        their rolls at <ServiceLink path="/verify">/verify</ServiceLink>.
      </Note>
    </Section>
  );
};
