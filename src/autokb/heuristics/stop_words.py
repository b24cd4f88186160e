"""Words that say of no issue what it is about: grammar, manners, and what every customer says of every problem."""

from __future__ import annotations

_GRAMMAR = """
a about above across after again against ago ain all almost alone along already also although always am among an and
another any anybody anymore anyone anything anyway anywhere apart are aren around as aside at away back be became
because become been before behind being below beside besides between beyond both but by came can cannot cant come
comes coming could couldn couldnt did didn didnt do does doesn doesnt doing don done dont down due during each either
else elsewhere enough etc even ever every everybody everyone everything everywhere except far few first for former
found four from further gave get gets getting give given gives giving go goes going gone gonna got gotten had hadn
half has hasn hasnt have haven having he hence her here hers herself hey him himself his hi how however i id ie if im
in indeed instead into is isn isnt it its itself ive just keep keeps kept last lately later latter least less let lets
like little ll longer look looks lot lots made make makes making many may maybe me mean meanwhile might mine more
moreover most mostly much must my myself namely near nearly neither never nevertheless next no nobody none nor not
nothing now nowhere of off often ok okay on once one ones only onto or other others otherwise our ours ourselves out
over own per perhaps put quite rather re really same say says second see seem seemed seems seen self several shall she
should shouldn since so some somebody somehow someone something sometime sometimes somewhere soon still such take
taken takes taking tell than that thats the their theirs them themselves then there thereby therefore these they thing
things think this those though three through throughout thru thus till to together told too took toward towards trying
twice two under until unless up upon us use used user users uses using usually various ve very via was wasn way ways
we well went were weren what whatever when whenever where whereas wherever whether which while who whoever whole whom
whose why will with within without won wont would wouldn wouldnt yes yet you your yours yourself yourselves able
actually according ask asked asking allow allows allowed additional alternative actual appear appears bit both call
called case cases causing certain clearly completely correctly currently day days different each end exactly example
fact fine fully hour hours idea immediately kind long minute minutes moment month months morning new night normal
normally old older part place point possible possibly previous previously properly question questions recent recently
right seconds set show showing shows side simple simply sort start started starting stop stopped suddenly sure time
times today tomorrow total totally tonight try tried turn unable unfortunately useful usual week weeks work worked
working works worse year years yesterday want wanted wants wanting need needed needs know knows known understand read
good great big best better bad wrong correct hard easy nice cant won't can't don't doesn't didn't isn't i'm i've it's
that's couldn't wouldn't shouldn't haven't hasn't wasn't weren't aren't there's what's i'd i'll you're they're we're
he's she's let's afterwards apparently basically except finally fixed fix gets happen happened happening happens
hopefully luckily matter mentioned nor noticed obviously option options originally press pressed regardless resolve
resolved result results seemingly select selected similar solution solve solved somewhat therefore thing thought
usually weird yet find finding see seeing
""".split()
_MANNERS = """
advance advice all anyone answer answers appreciate appreciated assist assistance best cheers community dear expert
experts folks forum friend friends greetings guidance guys hallo hello help helped helpful helping hi kind kindly
looking forward many much please pls plz post posted regards reply respond response sincerely sir madam sorry support
team thank thanks thankyou thx tia welcome wishes wondering
""".split()
_EVERY_PROBLEM = """
issue issues problem problems trouble troubles troubleshoot error errors message bug bugs broken wrong fail fails
failed failing failure click clicked clicking http https www com org net html amp nbsp quot jpg png monday tuesday
wednesday thursday friday saturday sunday january february march april june july august september october november
december
""".split()
# Grammar of other languages that customers write in; a theme of German issues is named by German nouns.
_OTHER_LANGUAGES = """
aber alle als auch auf aus bei beim bin bis bitte das dass dem den denn der des die dies diese dieser doch durch ein
eine einem einen einer eines für gibt habe haben hat hatte ich ihr ihre immer ist jetzt kann kein keine können leider
man mehr mein meine meinem meinen meiner mich mir mit muss nach nicht noch nun nur oder ohne schon sehr seit sich sie
sind über und uns unter vom von vor war warum was wenn werden wie wieder wird wurde zum zur zwei hallo danke vielen
dank alors après aussi autre aux avec avoir bonjour cela ces cet cette chez comme comment dans depuis des donc elle
elles est être été faire fait ils les leur lors mais merci mes moi mon même nous par pas peut plus pour pourquoi puis
quand que quel quelle qui quoi sans ses son sont sous sur tous tout toute très une vous votre algo alguien como con
cuando cuál del desde donde ella ellos esta este estoy está favor gracias hace hay hola las los más muy nada para pero
por porque puedo qué quiero sin sobre son tengo tiene todo todos una uno anche che chi ciao come con cosa dal dalla
degli del della delle dei dopo fare gli grazie hanno il mio mia molto nel nella non per perché più posso questo quando
sono una uno ainda apenas com das dos ele ela essa esse está estou eu mas meu minha muito não nas nos obrigado para
pode por posso quando que quero sem são tem tenho uma você aan als bij dan dat deze een geen het hoe ik is kan maar
met mijn naar niet nog ook omdat op uit van voor waar wel wordt zijn
""".split()
STOP_WORDS: frozenset[str] = frozenset((*_GRAMMAR, *_MANNERS, *_EVERY_PROBLEM, *_OTHER_LANGUAGES))
