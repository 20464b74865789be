"""Scenes between a shop and its customers, in English.

`script.py` explains the marks at the beginning of the lines.
"""

CHOICES = {
    "hi": ("Hi", "Hello", "Hey", "Good morning", "Good afternoon", "Hi there 👋"),
    "hello": ("Hi", "Hello", "Good to hear from you"),
    "thanks": ("Thanks!", "Thank you so much", "Cheers 🙏", "Great, thank you", "Thanks a lot 😊"),
    "product": ("oak side table", "wool throw", "round mirror", "pour-over set", "Alder armchair"),
    "garment": ("linen shirt", "merino jumper", "quilted vest", "wool coat", "Dune cardigan"),
    "zipped": ("Harbour rain jacket", "Fell parka", "Dune hoodie", "canvas rucksack"),
    "colour": ("navy", "moss green", "oat", "rust", "charcoal"),
    "weekday": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"),
    "street": ("14 Quay Street", "3 Orchard Row", "220 Mill Lane", "9 Chapel Walk"),
}

SCENES = """
== Late parcel | shipping
> {hi}, my order {order} was due on {weekday} and nothing has come yet 😕
> Tracking has said "out for delivery" for two days now
< {hello} {first}, sorry about the wait. Let me ask the courier what happened to {order}.
# Courier says the label was damaged at the depot. Asked them to relabel {tracking} and send \
it today.
< Found it: the label got torn at the depot, so they could not scan it. // It was stuck at \
the depot with a damaged label.
< [image tracking.png] They printed a new one. Here is the new tracking: {tracking}
> Ok, when will it get here?
<1 Tomorrow before 1pm. I have put a note on it so they ring the bell twice.
> {thanks}
+ ❤️
< Sorry again, {first}. Anything else, just write here. // You're welcome! Enjoy it when it \
comes 🎉

== Parcel never arrived, refund | refund, shipping
> {hi}. The app says {order} was delivered but I was home all day and there was no one at the door
< That's strange, {first}. Is it possible that a neighbour took it in?
> I asked both sides, nobody has it
> [image doorstep.jpg] This is my doorstep right now
# Proof of delivery shows a different door (green, ours is white). Claim opened with the courier.
< You are right, the photo the courier took is of another door. I have opened a claim.
< Would you rather have it sent again or your money back?
> Money back please, I needed it for {weekday}
< Done: {amount} goes back to your card, it takes 3 to 5 working days.
< [document refund-{order}.pdf] Here is the confirmation for your records
> {thanks} // Thank you. Appreciate how quick that was

== Size exchange | exchange, sizes
> {hi}, the {garment} I ordered is too small 🙈 can I swap the {size} for a {size2}?
< Of course {first}! What is your order number?
> {order}
< [buttons Post it|Drop at the shop|Courier collects] Got it. How would you like to return \
the {size}?
> [button_reply Drop at the shop] Drop at the shop
< Perfect, bring it to any of our shops with this code and we will have the {size2} waiting: \
{tracking}
> Can my husband bring it? 👨‍👩‍👧
<1 Sure, whoever has the code
> {thanks}
+ 👍

== Table booking for the café | booking
> {hi}, do I need to book for the café? 🍰
@ Welcome to the Veldrano café! I can book a table for you. For how many people and when?
> 4 people on {weekday} around {time}
@ I have {time} at the window or 30 minutes later on the terrace. Which one?
> Window please. One of us uses a wheelchair 👩🏽‍🦽 is that ok?
!handoff
@ Let me bring in a colleague who knows the room.
< {hello} {first}! Yes, the window table has step-free access, and I'll take a chair away.
< Booked: {weekday}, {time}, 4 people, name {first}. We'll keep it for 15 minutes.
> Wonderful. {thanks}
+ 🙏

== Invoice for a company | invoice
> {hi}, I need a VAT invoice for order {order}, made out to my company
< Sure. What is the company's name and VAT number?
> Brightwater Studio Ltd, GB 000 0000 00
< [document invoice-{order}.pdf] Here you are: {amount} including VAT.
> The address is the old one, could you change it to {street}?
# Billing address corrected, first copy voided.
<1 Of course, a moment
< [document invoice-{order}-b.pdf] Corrected. Please throw the first one away.
> Perfect. {thanks}

== Product question from an ad | question, campaign
> [ad] {hi}! Saw your ad. Is the {garment} available in {colour}?
@ Hello! The {garment} comes in {colour}, oat and charcoal. Shall I check the stock in a size?
> {size} please
@ [product] We have 3 left in {size}. Here it is, with the price.
> [sticker]
> Does it shrink in the wash?
!handoff
@ I'd better ask a person who has washed one 😄
< {first}, I own one: cold wash, dried flat, and it is the same size after a year.
> Sold! {thanks} // Sold 😂 ordering now

== Where is the shop | directions
> {hi}, which of your shops is closest to me?
< [location_request] If you share your location I can tell you.
> [location home]
< [location shop] The Riverside shop, about 12 minutes on foot. Open until 8 tonight.
> Is there parking? My mother can't walk far 👵🏼
< Two spaces right at the door, ask for the key at the till.
> {thanks}

== Faulty item with a video | complaint, warranty
> {hi}, the zip of my {zipped} broke after two weeks. I'm really disappointed.
> [video zip.mp4] You can see it comes off the rail
< I'm sorry {first}, that should not happen. Thank you for the video, it helps.
# Third broken zip from this batch. Told the buyers.
< We will repair it for free or send you a new one. Which would you like?
> [voice 23]
<1 Understood: a new one, and we collect the old one on {weekday}.
> Ok that works. {thanks}
< [template return_label] Hello {first}, your return label for order {order} is ready. The \
courier comes on {weekday}.
> [quick_reply Got it] Got it

== Order in the chat | sales
> {hi}, could I order two things right here?
< Sure! This is our catalogue, put what you like in the cart and send it back to me.
< [product_list] Spring favourites
> [order] Can you gift-wrap the first one?
< Lovely choice 🎁 That is {amount} with wrapping.
< [cta_url Pay {amount}] You can pay safely here
> Paid!
< I see it, thank you {first}. It leaves today. // All good on our side, {first}. It ships in \
the morning.
+ 🥳

== Change of address | shipping
> {hi}, I typed the wrong street in order {order} 🤦🏻‍♀️ it should be {street}
@ I found {order}. It has not left yet, so I can change it. Is {street} right?
> Yes!
@ Done ✅ It will go to {street}.
> Wow that was fast
& Thank you for writing to Veldrano. How did we do? Reply with a number from 1 to 5.
> 5 ⭐⭐⭐⭐⭐ // 5

== Alterations appointment | booking, alterations
> {hi}, do you shorten trousers?
< We do, {first}! It takes about four days. When could you come in for a fitting?
< [list Choose a time|{weekday} 10:00|{weekday} 12:30|{weekday} 17:15] These are free this week
> [list_reply {weekday} 12:30] {weekday} 12:30
< Booked. Bring the shoes you will wear with them 👞
> Will do. Who do I ask for?
< [contacts Marta Quill|+442079460071] Ask for Marta, this is her number at the shop
> {thanks}

== Spring campaign, reply | campaign
% [template spring_arrivals] {first}, the spring collection is here 🌷 Members have free \
delivery until {weekday}.
> Is the {garment} in it?
< It is! In {colour} and in oat, from {amount}.
> How much is shipping to Ireland 🇮🇪?
< Free for members until {weekday}, and you are one 😉
> {thanks} // Then I'll order tonight

== Campaign that could not be delivered | campaign
% [template spring_arrivals] [failed 131049] {first}, the spring collection is here 🌷 Members \
have free delivery until {weekday}.
$ [template order_shipped] [failed 131026] Hello {first}, your order {order} is on its way \
with {tracking}.
# Two failures in a row, the number may have changed. Try e-mail.
^ [failed 131047] Hi {first}, it's the shop on Quay Street, your {garment} is here.

== Pick-up at the shop | pick-up
$ [template ready_for_pickup] Hello {first}, order {order} is ready for you at the Riverside \
shop until {weekday}.
> [quick_reply On my way] On my way
= Locker 7 opened with code {code}. Order {order} collected.
> Got it, super easy 👍🏾
^ Glad it worked, {first}! It's Tom from the shop, come by any time.
+ 😊

== Gift card problem | payment
> {hi}, my gift card says it is invalid
> [image card.jpg] forwarded from my sister who bought it
< Thanks {first}. Could you send me the last four digits only?
> {code}
< It was bought but never activated at the till. I've done that now, please try again.
> Works! {amount} is there 🎉
< Enjoy! And sorry for the surprise.

== Kind words | feedback
> Just wanted to say the lady who helped me on {weekday} was brilliant 💐
> [image living-room.jpg] The {product} looks perfect at home
< You made our day, {first}! I'll tell her.
# Praise for Grace, passed on.
+ ❤️

== Questions in a flow | refund
> I'd like to return something
@ [flow Start return] Sure, this form takes a minute.
> [flow_reply {order}] Return form sent
@ Thank you, {first}. The return for {order} is registered, the label follows.
$ [template return_label] Hello {first}, your return label for order {order} is ready. The \
courier comes on {weekday}.
~ [assigned]
< {hello} {first}, one question: is the box still in one piece?
> [forwarded] [image box.jpg] More or less 😅
< That will do!

== Call me | complaint
> This is the third time I explain this. Can somebody please call me
!handoff
@ I'm sorry. May a colleague call you on WhatsApp?
> [call_permission_reply] Yes
~ [call]
# Spoke for six minutes. Wants {amount} back for {order}, agreed to a new delivery on {weekday}.
< As agreed on the phone: new delivery on {weekday}, and delivery costs are ours.
> Ok. {thanks}

== New number | account
~ [user_changed_number]
> {hi}, this is my new number, please update my account
<1 Updated, {first}. Your orders are all here.
> [unsupported provider]
< I can't see what you just sent, {first}, WhatsApp says this kind of message isn't supported \
here. A photo works!
> [image receipt.jpg] Here it is as a photo
> [reaction 👍]
< Received, thank you!
"""
